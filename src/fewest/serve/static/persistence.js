// Saves the user's work: on the disk, in this tab (so that a reload keeps it), in the browser (in case the tab is
// closed), and in a link.

const MOST_SHARED = 1_000_000; // the maximum length of the text in a link

class Persistence {
  constructor(shop) {
    this.shop = shop;
    this.timer = null;
    this.saving = Promise.resolve(); // the saves take place one after another, so that each knows the digest of the last
  }

  // -- the storage of the browser -----------------------------------------------------------------------

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), 150);
  }

  // The key of the unsaved text of a document. Another server can have the same address, but another folder.
  place(ref) {
    const folder = ref !== null && ref.startsWith("own/") ? `${this.shop.about.place}:` : "";
    return `fewest:draft:${folder}${ref || "new"}`;
  }

  now() {
    clearTimeout(this.timer);
    const { shop } = this;
    if (shop.file === null) return;
    const state = { file: shop.file, text: shop.editor.text, tab: shop.tab, place: shop.about.place };
    const draft = this.place(shop.file.ref);
    try {
      sessionStorage.setItem("fewest:work", JSON.stringify(state));
      if (shop.isChanged) localStorage.setItem(draft, JSON.stringify({ text: state.text, of: shop.file.saved, at: Date.now() }));
      else localStorage.removeItem(draft);
    } catch {
      // the browser has no storage, or its storage is full
    }
  }

  forget() {
    clearTimeout(this.timer);
    try {
      sessionStorage.removeItem("fewest:work");
    } catch {
      // the browser has no storage
    }
  }

  // The contents of this tab before it was reloaded.
  last() {
    try {
      const state = JSON.parse(sessionStorage.getItem("fewest:work"));
      return state !== null && state.place === this.shop.about.place ? state : null;
    } catch {
      return null;
    }
  }

  // The unsaved text of this document from a tab that was closed.
  draft(ref) {
    try {
      return JSON.parse(localStorage.getItem(this.place(ref)));
    } catch {
      return null;
    }
  }

  // -- the disk ----------------------------------------------------------------------------------------

  // `isSure`: whether the user knows that the file contains characters that cannot be read.
  async save(isSure = false) {
    const { shop } = this;
    if (shop.file === null) return;
    if (shop.about.folder === null) {
      shop.say("There is no folder to save to.", { hint: "Start the server with `fewest serve FOLDER`, or download the document.", kind: "bad" });
      return;
    }
    if (shop.isOwn) {
      const { ref, broken } = shop.file;
      if (broken.length && !isSure) {
        const act = ["Save it anyway", () => this.save(true)];
        shop.say("This file is not UTF-8. If you save it, the characters that cannot be read are replaced.", { kind: "bad", isPersistent: true, act, of: shop.file });
        return;
      }
      this.saving = this.saving.then(() => (shop.file?.ref === ref ? this.write(shop.file.name, shop.file.digest) : null));
      await this.saving;
      return;
    }
    const before = shop.file;
    const name = await this.requestName(`${shop.stem()}.yaml`);
    if (name !== null && shop.file === before) await this.write(/\.ya?ml$/i.test(name) ? name : `${name}.yaml`, null);
  }

  // `seen`: the digest of the contents that the file is expected to have.
  async write(name, seen) {
    const { shop } = this;
    const text = shop.editor.text;
    const before = shop.file;
    try {
      const parameters = { name, text, digest: seen, windows: Boolean(before.windows) };
      const done = await posted("api/save", parameters);
      shop.library.groups = null;
      if (shop.file !== before && shop.file?.ref !== done.ref) {
        // The user has opened another file, which must not become linked to the saved one.
        shop.say(`Saved ${name}`);
        return;
      }
      shop.file = { ...before, ref: done.ref, name, digest: done.digest, saved: text, broken: [] };
      if (before.ref !== done.ref) localStorage.removeItem(this.place(before.ref));
      if (before.broken.length) shop.check.soon(0);
      shop.title();
      this.now();
      history.replaceState(null, "", shop.address());
      shop.say(`Saved ${name}`);
    } catch (error) {
      if (error.isChanged) shop.say(error.message, { kind: "bad", isPersistent: true, act: ["Overwrite it", () => this.overwrite(name)], of: before });
      else shop.say(error.message, { hint: error.hint, kind: "bad" });
    }
  }

  async overwrite(name) {
    const before = this.shop.file;
    try {
      const { digest } = await query("opened", { ref: `own/${name}` });
      if (this.shop.file === before) await this.write(name, digest);
    } catch (error) {
      this.shop.say(error.message, { hint: error.hint, kind: "bad" });
    }
  }

  requestName(suggested) {
    return new Promise((resolve) => {
      const name = element("input", { type: "text", value: suggested, "aria-label": "file name", id: "file-name" });
      const form = element(
        "form",
        { method: "dialog" },
        element("label", {}, `Save in ${this.shop.about.folder} as`, name),
        element("div", { class: "row end" }, element("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), element("button", { type: "submit", class: "primary" }, "Save")),
      );
      const dialog = element("dialog", {}, form);
      let answer = null;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        answer = name.value.trim() || null;
        dialog.close();
      });
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(answer);
      });
      document.body.append(dialog);
      dialog.showModal();
      name.select();
    });
  }

  // -- a link ------------------------------------------------------------------------------------------

  async share() {
    const { shop } = this;
    const before = shop.file;
    let text = shop.editor.text;
    try {
      if (shop.puzzle !== null && shop.puzzle.own_models.length) text = await query("alone", shop.parameters());
    } catch (error) {
      shop.say(`The puzzle uses ${shop.puzzle.own_models.join(", ")}, which a link cannot contain.`, { hint: error.hint, kind: "bad" });
      return;
    }
    if (shop.file !== before) return;
    const link = `${location.origin}${location.pathname}#p=${await folded(JSON.stringify({ name: shop.stem(), text }))}`;
    if (shop.file !== before) return;
    try {
      await navigator.clipboard.writeText(link);
      shop.say("The link is copied: it contains the whole puzzle.");
    } catch {
      // the browser denies access to the clipboard, but the page shows the link in any case
    }
    history.replaceState(null, "", link.slice(link.indexOf("#")));
    shop.showLink(link);
  }

  async shared(packed) {
    const found = JSON.parse(await unfolded(packed));
    if (typeof found.text !== "string" || typeof found.name !== "string") throw new Error("no puzzle");
    return { name: found.name.replace(/[^\w-]+/g, "-").slice(0, 80) || "shared", text: found.text };
  }
}

// The text, deflated and then encoded in base64 for URLs.
async function folded(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let raw = "";
  for (const byte of bytes) raw += String.fromCharCode(byte);
  return btoa(raw).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// The inverse of the previous function. A text that would be longer than the largest document is rejected before it is
// completely inflated.
async function unfolded(packed) {
  const bytes = bytesOf(packed.replace(/-/g, "+").replace(/_/g, "/"));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text;
    text += value;
    if (text.length > MOST_SHARED + 1000) {
      await reader.cancel();
      throw new Error("too long");
    }
  }
}
