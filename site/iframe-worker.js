// A browser starts no worker from a page on disk. There the search runs in a hidden frame instead, which has the same interface.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script src="${new URL(url, document.baseURI)}"></script>`;
      this.loaded = new Promise((resolve) => {
        frame.onload = () => resolve(frame.contentWindow);
      });
      document.body.append(frame);
      this.loaded.then((inside) => {
        inside.postMessage = (data) => {
          const event = new MessageEvent("message", { data });
          this.dispatchEvent(event);
          if (this.onmessage) this.onmessage(event);
        };
      });
    }
    postMessage(data) {
      this.loaded.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
