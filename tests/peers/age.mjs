// Envelopes by the npm package `age-encryption`.
//
// The first argument is the `node_modules` folder. Reads one JSON request from standard input and writes one JSON
// reply to standard output. Byte strings are hex.

import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const resolve = createRequire(join(process.argv[2], "peer.js")).resolve;
const age = await import(pathToFileURL(resolve("age-encryption")));

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

const actions = {
  // Opens the envelope of another program.
  async open({ envelope, identity, armored }) {
    const decrypter = new age.Decrypter();
    decrypter.addIdentity(identity);
    const file = armored ? age.armor.decode(Buffer.from(bytes(envelope)).toString()) : bytes(envelope);
    return { contents: hex(await decrypter.decrypt(file)) };
  },

  // Makes an identity and an envelope for another program to open.
  async seal({ contents }) {
    const identity = await age.generateX25519Identity();
    const recipient = await age.identityToRecipient(identity);
    const encrypter = new age.Encrypter();
    encrypter.addRecipient(recipient);
    const binary = await encrypter.encrypt(bytes(contents));
    return { identity, recipient, binary: hex(binary), text: hex(Buffer.from(age.armor.encode(binary))) };
  },
};

const request = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await actions[request.action](request)));
