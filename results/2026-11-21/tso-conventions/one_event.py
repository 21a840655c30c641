"""As two_halves.py, with a read-modify-write as one event `U`. drmw: it is weakened to a read and a write (split), to either of them
as well (parts), or not at all. only: the other axiom must hold."""
import itertools
from two_halves import shapes, acyclic
# events: kind in R W U F
def rel(ev,kind,addr,thr,rf,co,opt):
    isR=lambda e:kind[e] in 'RU'; isW=lambda e:kind[e] in 'WU'
    po=[(a,b) for i,a in enumerate(ev) for b in ev[i+1:] if thr[a]==thr[b]]
    evs=set(ev)
    rfp=[(w,r) for r,w in rf.items() if w is not None and r in evs and w in evs and isR(r)]
    c=[]
    for a,o in co.items():
        o=[w for w in o if w in evs and isW(w)]
        c+=[(o[i],o[j]) for i in range(len(o)) for j in range(i+1,len(o))]
    cs=set(c); src={r:w for w,r in rfp}
    fr=[]
    for r in ev:
        if not isR(r): continue
        for v in ev:
            if v!=r and isW(v) and addr[v]==addr[r]:
                w=src.get(r)
                if (w is None) or (w,v) in cs: fr.append((r,v))
    return po,rfp,c,fr
def axioms(ev,kind,addr,thr,rf,co,pairs,opt):
    po,rfp,c,fr=rel(ev,kind,addr,thr,rf,co,opt)
    n=max(ev)+1 if ev else 0
    isR=lambda e:kind[e] in 'RU'; isW=lambda e:kind[e] in 'WU'
    poloc=[(a,b) for a,b in po if kind[a]!='F' and kind[b]!='F' and addr[a]==addr[b]]
    scpl=acyclic(poloc+rfp+c+fr,n)
    ppo=[(a,b) for a,b in po if kind[a]!='F' and kind[b]!='F' and ((isR(a)) or (isW(a) and isW(b)))]
    fence=[(a,b) for a,b in po if any(kind[f]=='F' and thr[f]==thr[a] and ev.index(a)<ev.index(f)<ev.index(b) for f in ev)]
    fence+=[(a,b) for a,b in po if 'U' in (kind[a],kind[b])]
    e=lambda p:[q for q in p if thr[q[0]]!=thr[q[1]]]
    com=e(rfp)+(e(c)+e(fr) if opt['coe'] else c+fr)
    return scpl,acyclic(com+ppo+fence,n)
def enum(n,kinds):
    for shape in shapes(n):
        thr=[t for t,k in enumerate(shape) for _ in range(k)]
        for kind in itertools.product(kinds,repeat=n):
            mem=[e for e in range(n) if kind[e]!='F']
            def addrs(i,cur,m):
                if i==len(mem): yield dict(cur); return
                for a in range(m+1):
                    cur[mem[i]]=a
                    yield from addrs(i+1,cur,max(m,a+1))
            for ad in addrs(0,{},0):
                addr={e:ad.get(e) for e in range(n)}
                reads=[e for e in range(n) if kind[e] in 'RU']
                srcs=[[None]+[w for w in range(n) if w!=r and kind[w] in 'WU' and addr[w]==addr[r]] for r in reads]
                al=sorted(set(ad.values()))
                ws=[[w for w in range(n) if kind[w] in 'WU' and addr[w]==a] for a in al]
                for rfs in itertools.product(*srcs):
                    for cos in itertools.product(*[itertools.permutations(w) for w in ws]):
                        yield list(kind),addr,thr,dict(zip(reads,rfs)),dict(zip(al,cos))
def canon(kind,addr,thr,rf,co,withco):
    n=len(kind);T=max(thr)+1;best=None
    for perm in itertools.permutations(range(T)):
        seq=[e for t in perm for e in range(n) if thr[e]==t]
        pos={e:i for i,e in enumerate(seq)};names={};d=[]
        for e in seq:
            a=addr[e]
            if a is not None and a not in names:names[a]=len(names)
            d.append((perm.index(thr[e]),kind[e],names.get(a,-1)))
        d3=tuple(sorted((pos[r],-1 if w is None else pos[w]) for r,w in rf.items()))
        inv={v:k for k,v in names.items()}
        d4=tuple(tuple(pos[w] for w in (co[inv[a]] if withco else co[inv[a]][-1:])) for a in range(len(names)))
        k=(tuple(d),d3,d4)
        if best is None or k<best:best=k
    return best
def relax(n,kind,addr,thr,rf,co,opt):
    ev=list(range(n))
    for e in ev:
        yield [x for x in ev if x!=e],kind,addr,thr,rf,co
        if kind[e]=='U' and opt['drmw']:
            # split: e becomes read, new event n is write right after
            k=list(kind)+['W'];k[e]='R'
            a=dict(addr);a[n]=addr[e]
            t=list(thr)+[thr[e]]
            rf2={r:(n if w==e else w) for r,w in rf.items()}
            co2={x:tuple(n if w==e else w for w in o) for x,o in co.items()}
            ev2=[]
            for x in ev:
                ev2.append(x)
                if x==e: ev2.append(n)
            yield ev2,k,a,t,rf2,co2
            if opt['drmw']=='parts':
                k1=list(kind);k1[e]='R'
                yield ev,k1,addr,thr,rf,co
                k2=list(kind);k2[e]='W'
                rf3={r:w for r,w in rf.items() if r!=e}
                yield ev,k2,addr,thr,rf3,co
def ok(args,opt):
    ev,kind,addr,thr,rf,co=args
    if not opt['exists']:
        ax=axioms(ev,kind,addr,thr,rf,co,None,opt); return all(ax) if opt['after']=='all' else ax[1]
    keys=list(co);choices=[]
    for a in keys:
        alive=[w for w in co[a] if w in ev and kind[w] in 'WU']
        last=co[a][-1] if co[a] and co[a][-1] in alive else None
        choices.append([p for p in itertools.permutations(alive) if last is None or p[-1]==last])
    for ch in itertools.product(*choices):
        ax=axioms(ev,kind,addr,thr,rf,dict(zip(keys,ch)),None,opt)
        if (all(ax) if opt['after']=='all' else ax[1]): return True
    return False
def run(nmax,opt):
    out=[]
    for n in range(1,nmax+1):
        s={}
        for kind,addr,thr,rf,co in enum(n,opt['kinds']):
            ev=list(range(n))
            ax=axioms(ev,kind,addr,thr,rf,co,None,opt)
            if ax[1]: continue
            if opt['only'] and not ax[0]: continue
            if opt['exists'] and ok((ev,kind,addr,thr,rf,co),opt): continue
            if all(ok(r,opt) for r in relax(n,kind,addr,thr,rf,co,opt)): s[canon(kind,addr,thr,rf,co,not opt['exists'])]=1
        out.append(s)
    return out
if __name__=='__main__':
    dims=dict(drmw=['split'],exists=[False],after=['all','axiom'],only=[False,True],coe=[False,True])
    for combo in itertools.product(*dims.values()):
        opt={**dict(zip(dims,combo)),'kinds':'RWUF'}
        r=run(4,opt)
        c=[len(s) for s in r]
        print(sum(c),c,dict(zip(dims,combo)),flush=True)
