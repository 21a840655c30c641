//! Assembly of LoongArch, whose text is beside this test and is not shipped.

use margay_extract::assembly::lacks;
use margay_extract::point::What;
use margay_models::diagnostic::SourceFile;
use margay_models::signature::Architecture;

use super::{SWAP, of, rmw};

/// An architecture that is not shipped is a text alone: LoongArch, as gcc 15 writes it.
#[test]
fn another_architecture_is_a_text() {
    let file = SourceFile::new("loongarch.arch", include_str!("../loongarch/loongarch.arch"));
    let loongarch = Architecture::read(&file).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(lacks(loongarch), None);
    let is = |what, body: &str, expected: &[&str]| {
        assert_eq!(of(loongarch, what, "b32", body, None), expected, "{body}")
    };
    is(
        What::Load,
        "dbar 0x11; ld.w $r12,$r4,0; dbar 0x14; stptr.w $r12,$r5,0; jr $r1",
        &["dbar.acq ; ld ; dbar.acq"],
    );
    is(What::Store, "dbar 0x12; st.w $r7,$r4,0; dbar 0x18; jr $r1", &["dbar.rel ; st ; dbar"]);
    is(rmw("add"), "amadd_db.w $r12,$r7,$r4,0; stptr.w $r12,$r5,0; jr $r1", &["am_db"]);
    let cas = "1:; ll.w $r12,$r4,0; addi.w $r13,$r8,0; bne $r12,$r13,2f; or $r13,$zero,$r7; sc.w $r13,$r4,0; beqz $r13,1b; b 3f; 2:; dbar 0b10100; 3:; \
               sub.w $r8,$r12,$r8; sltui $r8,$r8,1; st.b $r8,$r6,0; stptr.w $r12,$r5,0; jr $r1";
    is(SWAP, cas, &["ll_sc", "ll_sc ; ctrl ; dbar.acq"]);
}
