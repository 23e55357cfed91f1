__title__ = '\x41\u00e9\U0001F600\777\ud800\N{nope}\
'
