//! Prints the PTX of a CUDA file.
fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let text = std::fs::read_to_string(&path).expect("a text");
    let kernels: Vec<String> = std::env::args().skip(2).collect();
    let program = margay_cuda::CudaProgram {
        name: &path,
        text: &text,
        include: &|p| std::fs::read_to_string(p).ok(),
        target: "sm_90",
        kernels: &kernels,
    };
    match margay_cuda::compile(&program) {
        Ok(ptx) => {
            println!("{ptx}");
            margay_ptx::read(&ptx).expect("it is PTX");
        }
        Err(e) => {
            let line = e.text[..e.start].matches('\n').count() + 1;
            println!("error: {}:{line}: {} [{}] help: {}", e.file, e.message, e.text.get(e.start..e.end).unwrap_or(""), e.help);
        }
    }
}
