//! A profile that is changed number by number, and written as a file.

use scenario_file::profile::{BUNDLED, Price, Profile, bundled, nanoseconds, parse};
use sim_core::cost::CostClass;

fn opteron() -> Profile {
    bundled("opteron-2013").unwrap()
}

fn class(name: &str) -> Price {
    Price::Class(name.to_string())
}

#[test]
fn what_is_written_is_read_back() {
    for (name, _) in BUNDLED {
        let profile = bundled(name).unwrap();
        assert_eq!(parse(&profile.to_json()), Ok(profile), "{name}");
    }
    let awkward = Profile { name: "a \"b\"".into(), title: "c\\d é".into(), ..Profile::default() };
    assert_eq!(parse(&awkward.to_json()), Ok(awkward));
}

#[test]
fn nanoseconds_are_exact() {
    let shown = [0, 1, 500, 7_544, 12_000, 1_000_000_000_000].map(nanoseconds);
    assert_eq!(shown, ["0", "0.001", "0.5", "7.544", "12", "1000000000"]);
}

#[test]
fn a_price_that_is_changed_is_what_the_meter_takes() {
    let base = opteron();
    let edited = base.with(&base, &class("rmw"), " 20 ").unwrap();
    assert_eq!(edited.costs().of(CostClass::Rmw), 20_000);
    assert_eq!(edited.costs().of(CostClass::Irq), base.costs().of(CostClass::Irq));
    assert_eq!(edited.name, "opteron-2013, edited");
    assert_eq!(edited.costs().name, "opteron-2013, edited");
    let rmw = edited.classes.iter().find(|cost| cost.name == "rmw").unwrap();
    assert_eq!(rmw.source, "set by hand");
    assert_eq!(edited.changes(&base), ["rmw 20 ns instead of 7.544 ns"]);
    assert_eq!(parse(&edited.to_json()), Ok(edited.clone()));
}

#[test]
fn what_is_changed_back_is_as_it_was() {
    let base = opteron();
    let prices = [class("rmw"), class("unlock"), Price::NearLines, Price::CacheLines];
    for price in prices {
        let before = base.shown(&price);
        let edited = base.with(&base, &price, "3").unwrap();
        assert_ne!(edited, base, "{price:?}");
        assert_eq!(edited.with(&base, &price, &before), Ok(base.clone()), "{price:?}");
    }
    let without = base.with(&base, &class("rmw"), "").unwrap();
    assert_eq!(without.with(&base, &class("rmw"), "7.544"), Ok(base));
}

#[test]
fn classes_without_a_price_count_as_nothing_and_are_named() {
    let base = opteron();
    let edited = base.with(&base, &class("rmw"), "").unwrap();
    assert_eq!(edited.costs().of(CostClass::Rmw), 0);
    assert_eq!(edited.shown(&class("rmw")), "");
    assert!(edited.missing().contains(&"rmw") && !base.missing().contains(&"rmw"));
    assert_eq!(edited.changes(&base), ["rmw no price instead of 7.544 ns"]);
    assert_eq!(Profile::default().missing().len(), CostClass::ALL.len());
}

#[test]
fn functions_have_prices_too() {
    let base = opteron();
    let price = Price::Function("munlock_vma_page".to_string());
    let edited = base.with(&base, &price, "1.5").unwrap();
    assert_eq!(edited.costs().function("munlock_vma_page"), 1_500);
}

#[test]
fn mistakes_say_what_was_expected() {
    let base = opteron();
    for wrong in ["-1", "x", "1e10", "NaN", "inf"] {
        let error = base.with(&base, &class("rmw"), wrong).unwrap_err();
        assert!(error.contains("nanoseconds from 0 to 1000000000"), "{wrong}: {error}");
    }
    assert!(base.with(&base, &Price::NearLines, "1.5").unwrap_err().contains("whole number of lines"));
    assert!(base.with(&base, &class("nonsense"), "1").unwrap_err().contains("nonsense"));
    assert!(base.with(&base, &Price::Function("a b".into()), "1").unwrap_err().contains("a b"));
}
