print 'a'
exec 'b'
raise A, 'b'
