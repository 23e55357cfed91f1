match x:
    case {'a': [1, *r], **k} | None if (y := 1): pass
    case A(b=-1+2j): pass
