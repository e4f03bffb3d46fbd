//! A way between two programs that can be cut, held up, or cut just when a commit was sent.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What becomes of bytes on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Open,
    /// Connections are taken, and nothing goes either way.
    HeldUp,
    /// Connections are closed.
    Cut,
    /// The next COMMIT gets there; its answer, and everything after, does not.
    CutAtCommit,
}

/// How the driver sends it, as a text of its own.
const COMMIT: &[u8] = b"COMMIT\0";

#[derive(Debug)]
pub struct TcpProxy {
    address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Debug)]
struct State {
    way: Way,
    open: Vec<TcpStream>,
}

impl TcpProxy {
    /// From a free port of this machine to another port of it.
    pub fn to(port: u16) -> TcpProxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new((Mutex::new(State { way: Way::Open, open: Vec::new() }), Condvar::new()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for came in listener.incoming().flatten() {
                let Ok(on) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
                if state.way == Way::Cut {
                    continue;
                }
                let pair = || Some((came.try_clone().ok()?, on.try_clone().ok()?));
                let (Some(there), Some(back)) = (pair(), pair()) else { continue };
                state.open.extend([came, on]);
                let (one, other) = (shared.clone(), shared.clone());
                std::thread::spawn(move || relay(there.0, there.1, &one, true));
                std::thread::spawn(move || relay(back.1, back.0, &other, false));
            }
        });
        TcpProxy { address, state }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn open(&self) {
        self.become_way(Way::Open);
    }

    pub fn hold_up(&self) {
        self.become_way(Way::HeldUp);
    }

    pub fn cut(&self) {
        self.become_way(Way::Cut);
    }

    pub fn cut_at_commit(&self) {
        self.become_way(Way::CutAtCommit);
    }

    /// Whether a commit was cut off since.
    pub fn has_cut_at_commit(&self) -> bool {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner).way != Way::CutAtCommit
    }

    fn become_way(&self, way: Way) {
        let mut state = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.way = way;
        if way == Way::Cut {
            close(&mut state);
        }
        self.state.1.notify_all();
    }
}

fn close(state: &mut State) {
    for stream in state.open.drain(..) {
        // It may be closed already.
        let _ = stream.shutdown(Shutdown::Both);
    }
}

fn relay(mut from: TcpStream, mut to: TcpStream, state: &(Mutex<State>, Condvar), asks: bool) {
    let mut bytes = vec![0; 64 << 10];
    loop {
        let many = match from.read(&mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(many) => many,
        };
        let guard = state.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = state.1.wait_while(guard, |state| state.way == Way::HeldUp);
        let mut guard = held.unwrap_or_else(PoisonError::into_inner);
        match guard.way {
            Way::Cut => break,
            Way::CutAtCommit if asks && bytes[..many].windows(COMMIT.len()).any(|part| part == COMMIT) => {
                let _ = to.write_all(&bytes[..many]);
                // The server does it, and nobody hears of it.
                let _ = from.shutdown(Shutdown::Both);
                guard.way = Way::Open;
                drop(guard);
                let _ = std::io::copy(&mut to, &mut std::io::sink());
                break;
            }
            Way::Open | Way::HeldUp | Way::CutAtCommit => {}
        }
        drop(guard);
        if to.write_all(&bytes[..many]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
