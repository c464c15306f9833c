/**
 * The constants of grouping. The times are decisions: how long people take two failures for one. What was measured says where. The
 * laboratory shows what a change of them costs (bench/lab/README.md, "Constants").
 */

/** Without evidence for this long, an incident has recovered if its root answers. */
export const SILENCE_MS = 15_000;
/** An incident that failed again after a pause has recovered after so many times that pause. */
export const BEYOND_PAUSE = 2;
/** While an incident is this young, callees of its root may still turn out to be the root. */
export const SETTLE_MS = 2 * 60_000;
/** How long an incident is followed after it ended, and takes the failure that goes on after somebody closed it. */
export const COOLDOWN_MS = 10 * 60_000;
/** What happened before the end of the cooldown may be found this much later: a window, and a slot or two. */
export const LEFT_OVER_MS = 70_000;
/** An incident with an open alert is kept this long in silence. After that, the sender has forgotten the alert. */
export const OPEN_ALERT_MS = 7 * 86_400_000;
/** Evidence of other places joins an incident only while it is younger. */
export const MAX_AGE_MS = 90 * 60_000;
/** Evidence older than this does not say where the failure is now. */
export const EVIDENCE_MS = 5 * 60_000;
/** Once requests were blamed on its root, an incident takes evidence of other places only so long after the last of them. */
export const HEALED_MS = 45_000;
/** Two slots: the failures of a root and of its callers may be found in neighbouring ones. */
export const OUTLAST_MS = 10_000;
/** Evidence without harm waits this long before it opens an incident, because lost requests are found later. */
export const PATIENCE_MS = 30_000;
/** If lost requests have not shown by then where a fault is, there are too few of them. */
export const REQUESTS_TELL_MS = 90_000;
/** The strength of a change halves in this time. */
export const CHANGE_HALF_LIFE_MS = 10 * 60_000;
/** After this time a change joins no incident. */
export const CHANGE_MS = 30 * 60_000;
/** Ranking an incident and looking for openings costs too much to do it more often. */
export const CHECK_MS = 1_000;
/** Forgetting is looked after this often. */
export const SWEEP_MS = 30_000;
/** Least significance of evidence that keeps an incident failing. To open one takes 1. */
export const LASTING = 0.5;
/** From this significance on, requests will soon show where the fault is. */
export const SOON = 0.3;
/** Weight of further families of evidence, since one failure often shows in several. */
export const FURTHER_FAMILY = 0.3;
/** Own score of a service from which it opens an incident that harms nobody, or is split off another. */
export const LEAST_SCORE = 1;
/** A new root must be ahead by this factor, so that two similar candidates do not alternate. */
export const AHEAD = 1.2;
/**
 * A place at fault loses most of the requests that go through it. If it loses only some, something else may decide which.
 * Measured: the odds of the root being right, as a logarithm, by logistic regression on 95 faults of ten generated systems, judged
 * with the system left out (docs/engine.md, "Grouped").
 */
export const LOG_ODDS = { base: 0.25, ofShare: 2.5 };
/** How much blame on other places counts against the root meanwhile: it may be noise of their own. */
export const OTHERS = 0.5;
/** The confidence in a root that is not blamed at present. */
export const NOT_BLAMED = 0.45;
/** Evidence that is less rare than this does not show that two incidents are the same failure. */
export const RARE = 0.5;
/** Share of the incidents of other roots at which an alert counts half. Less may be chance, or a second failure. */
export const BYSTANDER_SHARE = 0.1;
/** Fewer incidents of other roots say little. */
export const LEAST_INCIDENTS = 20;
/** An inhibited alert belongs to the incident, but neither opens nor explains one. */
export const INHIBITED_STRENGTH = 0.01;
/** A finding that was closed as no problem opens an incident again once it is this many times as large. */
export const CLEARLY_MORE = 2;
/** The same for lines, which come in bursts. */
export const CLEARLY_MORE_LINES = 3;
/** A root that loses this many times the share of requests that it lost when another was taught is clearly worse. */
export const CLEARLY_WORSE = 1.5;
/** Changes of a service, and similar incidents of one, that people are shown. */
export const MOST_SHOWN = 10;
/** Kinds of evidence that a lesson keeps. */
export const MAX_KINDS = 5;
