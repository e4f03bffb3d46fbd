//! Readers that wait for something new.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, watch};
use wilco_protocol::Name;

/// With more inboxes, those that nobody waits for are looked for before the next commit.
const MAX_REMEMBERED: usize = 8192;

/// Wakes long polls and streams after a commit.
#[derive(Debug, Clone)]
pub struct Waiters {
    head: watch::Sender<u64>,
    /// Held only to look one entry up or clear those nobody waits for; never over an await.
    inboxes: Arc<Mutex<HashMap<Name, Arc<Notify>>>>,
}

impl Waiters {
    pub(crate) fn new(head: u64) -> Waiters {
        Waiters { head: watch::Sender::new(head), inboxes: Arc::default() }
    }

    /// The newest position, as it grows.
    pub fn head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    /// Something to wait on until this agent gets a message. Ask for it before looking into the inbox.
    pub fn inbox(&self, agent: &Name) -> Arc<Notify> {
        let mut inboxes = self.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        if inboxes.len() >= MAX_REMEMBERED {
            inboxes.retain(|_, notify| Arc::strong_count(notify) > 1);
        }
        inboxes.entry(agent.clone()).or_default().clone()
    }

    /// Another node committed something: whoever waits looks for itself.
    pub(crate) fn committed_elsewhere(&self, head: u64) {
        self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
        let inboxes = self.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        inboxes.values().for_each(|notify| notify.notify_waiters());
    }

    /// `reached`: whose inbox got something; several times the same does no harm.
    pub(crate) fn committed(&self, head: u64, reached: &[Name]) {
        self.head.send_replace(head);
        let mut inboxes = self.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        // Under load mostly nobody waits.
        if inboxes.is_empty() {
            return;
        }
        for agent in reached {
            if let Some(notify) = inboxes.get(agent) {
                notify.notify_waiters();
            }
        }
        inboxes.retain(|_, notify| Arc::strong_count(notify) > 1);
    }
}
