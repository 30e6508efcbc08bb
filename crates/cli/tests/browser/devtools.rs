//! A headless Chromium, driven by its DevTools protocol through a pair of pipes: no other program, no port.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// What Chromium is called.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    events: Vec<Value>,
    home: TempDir,
}

impl Browser {
    /// Starts a browser with an empty page of this size.
    pub(crate) fn start(width: u32, height: u32) -> Self {
        let home = TempDir::new().unwrap();
        let [to, from] = ["to", "from"].map(|name| home.path().join(name));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        let child = launch(home.path());
        let to = File::options().write(true).open(to).unwrap();
        let from = listen(File::open(from).unwrap());
        let mut browser = Self { child, to, from, session: None, last: 0, events: Vec::new(), home };
        browser.attach();
        browser.resize(width, height);
        browser
    }

    fn attach(&mut self) {
        let targets = self.call("Target.getTargets", json!({}));
        let pages = targets["targetInfos"].as_array().unwrap().iter();
        let page = pages.clone().find(|target| target["type"] == "page").expect("a page")["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({ "targetId": page, "flatten": true }));
        let downloads = json!({ "behavior": "allow", "downloadPath": self.home.path().join("saved") });
        self.call("Browser.setDownloadBehavior", downloads);
        self.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Sends a command and waits for its answer.
    #[expect(clippy::needless_pass_by_value, reason = "calls read better with a literal")]
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.clone().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.next();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
        }
    }

    fn next(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("the browser answers");
        if message["method"].is_string() {
            self.events.push(message.clone());
        }
        message
    }

    /// Opens a file and waits until all of it is there.
    pub(crate) fn open(&mut self, path: &Path) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", path.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            self.next();
        }
    }

    /// Whatever the page complained about since it was opened.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let is_bad = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled") => true,
            // Nothing is asked for but the page itself and pictures made in it.
            Some("Network.requestWillBeSent") => true,
            _ => false,
        };
        self.events.iter().filter(is_bad).collect()
    }

    /// The value of an expression of JavaScript in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// Makes the page this large.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Moves the mouse to a place of the page.
    pub(crate) fn point_at(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses the mouse at one place and lets go at another.
    pub(crate) fn drag(&mut self, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
        let mut mouse = |kind: &str, x: f64, y: f64, buttons: u32| {
            let event = json!({
                "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1
            });
            self.call("Input.dispatchMouseEvent", event);
        };
        mouse("mousePressed", x, y, 1);
        mouse("mouseMoved", (x + to_x) / 2.0, (y + to_y) / 2.0, 1);
        mouse("mouseMoved", to_x, to_y, 1);
        mouse("mouseReleased", to_x, to_y, 0);
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// The file that the page saves when the element `id` is clicked.
    pub(crate) fn saved_by(&mut self, id: &str, ending: &str) -> Vec<u8> {
        self.value(&format!("document.getElementById('{id}').click()"));
        let saved = self.home.path().join("saved");
        for _ in 0..600 {
            let files = std::fs::read_dir(&saved).into_iter().flatten().flatten();
            let files: Vec<_> = files.map(|entry| entry.path()).collect();
            let ends_with =
                |ending: &str| files.iter().find(|path| path.extension().is_some_and(|end| end == ending));
            // The name stands there, empty, before the file does.
            if let (None, Some(path)) = (ends_with("crdownload"), ends_with(ending)) {
                let bytes = std::fs::read(path).unwrap();
                if !bytes.is_empty() {
                    return bytes;
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{id} saved no .{ending}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(home: &Path) -> Child {
    let browser = NAMES.iter().find(|name| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    });
    let browser = browser.expect("Chromium: install it, or let `make test` skip these tests");
    // The protocol's pipes are files 3 and 4.
    Command::new("sh")
        .args(["-c", "exec \"$@\" 3<to 4>from", "sh", browser])
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args(["--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir=profile"])
        .arg("about:blank")
        .current_dir(home)
        .env("HOME", home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Messages end in a zero.
fn listen(pipe: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(pipe).split(0).map_while(Result::ok) {
            let Ok(message) = serde_json::from_slice(&message) else { return };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}
