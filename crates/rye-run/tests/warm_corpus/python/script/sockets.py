import socket
import threading
server = socket.create_server(("127.0.0.1", 0))
thread = threading.Thread(target=lambda: server.accept()[0].sendall(b"hello"))
thread.start()
client = socket.create_connection(server.getsockname())
print(client.recv(10), socket.getdefaulttimeout())
