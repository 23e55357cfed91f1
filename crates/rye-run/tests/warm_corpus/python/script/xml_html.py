import html.parser
import xml.etree.ElementTree as tree
print(tree.tostring(tree.fromstring("<a><b c='d'/>ü</a>"), encoding="unicode"), html.unescape("&uuml;"))
try:
    tree.fromstring("<a>")
except tree.ParseError as error:
    print(error)
