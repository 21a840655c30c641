#!/usr/bin/env bash
# The kernels that `margay kernel` says are wrong and that first.sh did not see go wrong, in six environments, up to 3,000 runs each; behind first.sh.
set -u
cd /tmp/margay-first-run; W=/tmp/w; mkdir -p $W
export NO_COLOR=1 LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/nvidia/lib
for f in barrier-barrier_without_fences barrier-barrier_without_release grid-last_of_many_without_fence last_block-last_block_without_fence lock-ticket_lock_without_release locks-cas_lock_relaxed locks-ticket_lock_relaxed locks-ttas_lock_relaxed queue_locks-clh_lock_relaxed; do
  timeout -s INT -k 5 25 ./margay app test k/$f.toml --device cuda --watchdog 10s --toolkit toolkit --profile tune.toml --environments no-str+,sys-str+,rand-str-,rand-str+,cache-str-,cache-str+ --runs 3000 --timeout 19s --format json > $W/more-$f.json 2>>$W/err
done
tar czf $OUT/w3.tar.gz -C $W .
