"""Ed25519 by the Python package `cryptography`.

Reads one JSON request from standard input and writes one JSON reply to standard output. Byte strings are hex.
"""

import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)


def raw(public_key):
    return public_key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def examine(request):
    """Reads the keys of another program, checks its signature and signs with its key."""
    message = bytes.fromhex(request["message"])
    passphrase = request["passphrase"]
    private_key = load_pem_private_key(
        request["private_pem"].encode(), passphrase.encode() if passphrase is not None else None
    )
    public_key = load_pem_public_key(request["public_pem"].encode())
    try:
        public_key.verify(bytes.fromhex(request["signature"]), message)
        verified = True
    except InvalidSignature:
        verified = False
    return {
        "verified": verified,
        "public_from_private": raw(private_key.public_key()),
        "public_from_public": raw(public_key),
        "signature": private_key.sign(message).hex(),
    }


def produce(request):
    """Makes keys and a signature for another program to read."""
    private_key = Ed25519PrivateKey.generate()
    public_key = private_key.public_key()
    encryption = BestAvailableEncryption(request["passphrase"].encode())
    return {
        "private_pem": private_key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        ).decode(),
        "encrypted_pem": private_key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, encryption
        ).decode(),
        "public_pem": public_key.public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        ).decode(),
        "public": raw(public_key),
        "signature": private_key.sign(bytes.fromhex(request["message"])).hex(),
    }


ACTIONS = {"examine": examine, "produce": produce}

request = json.load(sys.stdin)
json.dump(ACTIONS[request["action"]](request), sys.stdout)
