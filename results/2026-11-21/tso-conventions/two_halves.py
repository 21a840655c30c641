"""Counts the minimal tests of TSO's causality axiom up to four events under several conventions, by enumeration; shares no code
with Margay. A read-modify-write is a read and a write. Prints the total, the counts of 1, 2, 3 and 4 events, and the convention:

rmwfence  do the halves of a read-modify-write order what is before and after (half), as Fig. 2 of the 2019 paper has it
          (rmw: only after the write and before the read)?
coe       only coherence and from-reads between threads in the axiom?
ri        is a half of a read-modify-write removed by itself, or the whole?
exists    is coherence order chosen anew, with the same final values? else it is part of the test
after     what a weaker test must satisfy, and what forbids the test: all axioms, or causality as the only one
"""
import itertools, sys
from functools import lru_cache
# execution: tuple threads of events: (kind, addr) kind R W F ; rmw set of pairs (r,w); rf map r->w|None ; co list per addr (total order)
def shapes(n):
    def parts(n,m):
        if n==0: yield (); return
        for k in range(min(n,m),0,-1):
            for r in parts(n-k,k): yield (k,)+r
    return parts(n,n)
def acyclic(edges,n):
    adj=[[False]*n for _ in range(n)]
    for a,b in edges: adj[a][b]=True
    for k in range(n):
        for i in range(n):
            if adj[i][k]:
                for j in range(n):
                    if adj[k][j]: adj[i][j]=True
    return not any(adj[i][i] for i in range(n))
class X: pass
def relations(x, alive, rmw):
    # x: kinds, addr, thr, rf(dict), co(dict addr->order)
    ev=[e for e in range(len(x.kind)) if alive[e]]
    po=[(a,b) for a in ev for b in ev if a<b and x.thr[a]==x.thr[b]]
    rf=[(w,r) for r,w in x.rf.items() if w is not None and alive[r] and alive[w]]
    co=[]
    for a,o in x.co.items():
        o=[w for w in o if alive[w]]
        co+= [(o[i],o[j]) for i in range(len(o)) for j in range(i+1,len(o))]
    cos=set(co)
    src={r:w for w,r in rf}
    fr=[]
    for r in ev:
        if x.kind[r]!='R': continue
        w=src.get(r)
        for v in ev:
            if x.kind[v]=='W' and x.addr[v]==x.addr[r]:
                if w is None or (w,v) in cos: fr.append((r,v))
    return ev,po,rf,co,fr,[(a,b) for a,b in rmw if alive[a] and alive[b]]
def axioms(x, alive, rmw, opt):
    ev,po,rf,co,fr,rm=relations(x,alive,rmw)
    n=len(x.kind)
    poloc=[(a,b) for a,b in po if x.addr[a] is not None and x.addr[a]==x.addr[b]]
    scpl=acyclic(poloc+rf+co+fr,n)
    cos=set(co); frs=set(fr)
    ext=lambda p: x.thr[p[0]]!=x.thr[p[1]]
    if opt['atom']=='ext':
        atom=not any((r,v) in frs and (v,w) in cos and x.thr[v]!=x.thr[r] for r,w in rm for v in ev)
    else:
        atom=not any((r,v) in frs and (v,w) in cos for r,w in rm for v in ev)
    ppo=[(a,b) for a,b in po if x.kind[a]!='F' and x.kind[b]!='F' and not (x.kind[a]=='W' and x.kind[b]=='R')]
    fence=[(a,b) for a,b in po if any(x.kind[f]=='F' and a<f<b and x.thr[f]==x.thr[a] for f in ev)]
    if opt['rmwfence']:
        hs={e for p in rm for e in p}
        pos=set(po)
        if opt['rmwfence']=='half': fence+=[(a,b) for a,b in po if a in hs or b in hs]
        elif opt['rmwfence']=='rmw': 
            ws={w for r,w in rm}; rs={r for r,w in rm}
            fence+=[(a,b) for a,b in po if a in ws or b in rs]
    rfe=[p for p in rf if ext(p)]
    com=rfe+([p for p in co if ext(p)] if opt['coe'] else co)+([p for p in fr if ext(p)] if opt['coe'] else fr)
    caus=acyclic(com+ppo+fence,n)
    return scpl,atom,caus
def enum(n,opt):
    for shape in shapes(n):
        thr=[t for t,k in enumerate(shape) for _ in range(k)]
        for kind in itertools.product('RWF' if opt['fences'] else 'RW',repeat=n):
            mem=[e for e in range(n) if kind[e]!='F']
            # addresses as restricted growth
            def addrs(i,cur,m):
                if i==len(mem): yield dict(cur); return
                for a in range(m+1):
                    cur[mem[i]]=a
                    yield from addrs(i+1,cur,max(m,a+1))
            for ad in addrs(0,{},0):
                addr=[ad.get(e) for e in range(n)]
                cand=[(e,e+1) for e in range(n-1) if thr[e]==thr[e+1] and kind[e]=='R' and kind[e+1]=='W' and addr[e]==addr[e+1]]
                for k in range(len(cand)+1):
                  for rmw in itertools.combinations(cand,k):
                    reads=[e for e in range(n) if kind[e]=='R']
                    srcs=[[None]+[w for w in range(n) if kind[w]=='W' and addr[w]==addr[r]] for r in reads]
                    al=sorted(set(a for e,a in ad.items()))
                    ws=[[w for w in range(n) if kind[w]=='W' and addr[w]==a] for a in al]
                    for rfs in itertools.product(*srcs):
                        for cos in itertools.product(*[itertools.permutations(w) for w in ws]):
                            x=X(); x.kind=kind;x.addr=addr;x.thr=thr;x.rf=dict(zip(reads,rfs));x.co=dict(zip(al,cos))
                            yield x,list(rmw)
def outcome(x):
    fin=tuple(sorted((a,o[-1] if o else None) for a,o in x.co.items()))
    return fin
def canon(x,rmw,withco):
    n=len(x.kind); T=max(x.thr)+1
    best=None
    for perm in itertools.permutations(range(T)):
        seq=[e for t in perm for e in range(n) if x.thr[e]==t]
        pos={e:i for i,e in enumerate(seq)}
        names={}
        d=[]
        for e in seq:
            a=x.addr[e]
            if a is not None and a not in names: names[a]=len(names)
            d.append((perm.index(x.thr[e]),x.kind[e],names.get(a,-1)))
        d2=tuple(sorted((pos[a],pos[b]) for a,b in rmw))
        d3=tuple(sorted((pos[r],-1 if w is None else pos[w]) for r,w in x.rf.items()))
        inv={v:k for k,v in names.items()}
        d4=tuple(tuple(pos[w] for w in (x.co[inv[a]] if withco else x.co[inv[a]][-1:])) for a in range(len(names)))
        k=(tuple(d),d2,d3,d4)
        if best is None or k<best: best=k
    return best
def relaxed(x,rmw,opt):
    n=len(x.kind)
    full=[True]*n
    halves={}
    for r,w in rmw: halves[r]=(r,w);halves[w]=(r,w)
    done=set()
    for e in range(n):
        if e in halves and opt['ri']=='whole':
            g=halves[e]
        else: g=(e,)
        if g in done: continue
        done.add(g)
        al=list(full)
        for i in g: al[i]=False
        yield al,[p for p in rmw if p[0] not in g and p[1] not in g]
    for p in rmw:
        yield list(full),[q for q in rmw if q!=p]
def allowed_outcome(x,al,rm,opt):
    # exists co with same finals
    if not opt['exists']: 
        return test(axioms(x,al,rm,opt),opt)
    keys=list(x.co)
    opts=[]
    for a in keys:
        o=[w for w in x.co[a]]
        alive=[w for w in o if al[w]]
        if not alive: opts.append([()]); continue
        last=[o[-1]] if al[o[-1]] else None
        perms=[p for p in itertools.permutations(alive) if last is None or p[-1]==o[-1]]
        opts.append(perms)
    for ch in itertools.product(*opts):
        y=X();y.kind=x.kind;y.addr=x.addr;y.thr=x.thr;y.rf=x.rf;y.co=dict(zip(keys,ch))
        if test(axioms(y,al,rm,opt),opt): return True
    return False
def test(ax,opt): return all(ax) if opt['after']=='all' else ax[2]
def count(nmax,opt,show=False):
    res={}
    for n in range(1,nmax+1):
        s={}
        for x,rmw in enum(n,opt):
            ax=axioms(x,[True]*n,rmw,opt)
            if ax[2]: continue
            if opt['only'] and not (ax[0] and ax[1]): continue
            if opt['exists'] and allowed_outcome(x,[True]*n,rmw,opt): continue
            if all(allowed_outcome(x,al,rm,opt) for al,rm in relaxed(x,rmw,opt)):
                s[canon(x,rmw,not opt['exists'])]=1
        res[n]=s
    return res
if __name__=='__main__':
    base=dict(fences=True,atom='any',rmwfence=False,coe=False,ri='half',exists=False,after='all',only=False)
    dims=dict(rmwfence=[False,'half','rmw'],coe=[False,True],ri=['half','whole'],exists=[False,True],after=['axiom','all'],only=[False])
    for combo in itertools.product(*dims.values()):
        opt={**base,**dict(zip(dims,combo))}
        r=count(4,opt)
        c=[len(r[n]) for n in (1,2,3,4)]
        print(sum(c),c,{k:opt[k] for k in dims},flush=True)
