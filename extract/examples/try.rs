//! Try.
use margay_extract::{compile::*, front, table::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let front = front::find(&a[1]).unwrap_or_else(|e| panic!("{e:?}"));
    let points = front.points();
    let t = std::time::Instant::now();
    let u = front.unpacked.clone().unwrap();
    let command = Command { template: u.command, compiler: Some(a[2].clone()), architecture: a[3].clone(), limit: std::time::Duration::from_secs(300) };
    let v = version(&u.version, Some(&a[2]), &a[3]).unwrap();
    eprintln!("{} points {v}", points.len());
    let out = compile(&front, &command, &points, 2, &Silent).unwrap();
    eprintln!("{} runs, {:?}", out.runs, t.elapsed());
    let table = Table::new(&front, &command, v, &out);
    eprintln!("{:?}", t.elapsed());
    std::fs::write(&a[4], map(&table, &Models::default())).unwrap();
    std::fs::write(format!("{}.json", a[4]), table.json().to_string()).unwrap();
}
