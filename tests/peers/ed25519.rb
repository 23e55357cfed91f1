# Ed25519 by Ruby's `openssl`, that is by the OpenSSL of the system.
#
# Reads one JSON request from standard input and writes one JSON reply to standard output. Byte strings are hex.

require "json"
require "openssl"

def bytes(hex)
  [hex].pack("H*")
end

def hex(bytes)
  bytes.unpack1("H*")
end

# The last 32 bytes of an Ed25519 public key in DER are the key itself.
def raw(key)
  hex(key.public_to_der[-32..])
end

# Reads the keys of another program, checks its signature and signs with its key.
def examine(request)
  message = bytes(request["message"])
  private_key = OpenSSL::PKey.read(request["private_pem"], request["passphrase"] || "")
  public_key = OpenSSL::PKey.read(request["public_pem"])
  {
    verified: public_key.verify(nil, bytes(request["signature"]), message),
    public_from_private: raw(private_key),
    public_from_public: raw(public_key),
    signature: hex(private_key.sign(nil, message))
  }
end

# Makes keys and a signature for another program to read.
def produce(request)
  key = OpenSSL::PKey.generate_key("ED25519")
  {
    private_pem: key.private_to_pem,
    encrypted_pem: key.private_to_pem(OpenSSL::Cipher.new("aes-256-cbc"), request["passphrase"]),
    public_pem: key.public_to_pem,
    public: raw(key),
    signature: hex(key.sign(nil, bytes(request["message"])))
  }
end

request = JSON.parse($stdin.read)
reply =
  case request["action"]
  when "examine" then examine(request)
  when "produce" then produce(request)
  end
puts JSON.generate(reply)
