//! A call that may get the answer of another one: `coalesce`, inside the deadline and outside of everything else.

use super::{BlockingCall, Call, Core, core::End};
use crate::{
    arguments::Key,
    coalesce::{Arrival, Follower, Lead, Role},
    outcome::Ending,
    rejected::RejectedKind,
    report::{Degraded, Report},
    stop::{Stop, last_stop},
    time::{Timer, block_on},
};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    ops::ControlFlow,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

/// An outcome that more than one caller can have.
#[diagnostic::on_unimplemented(
    message = "[R35] `{Self}` cannot be given to more than one caller",
    label = "`coalesce` hands each of them a copy, but this is not `Clone + Send + Sync + 'static`",
    note = "derive `Clone` for what the function returns, its error too, or put it into an `Arc`"
)]
pub trait Shareable: Sized {
    /// `Break` with the answer of another call that asks the same now; `Continue` where this one is to ask, and
    /// [`Shareable::land`] what comes of it.
    fn join<'a>(call: &'a mut Call, digest: u64, key: &'a Key<'a>, leading: &'a mut Leading<Self>)
    -> Joining<'a, Self>;

    /// The call has ended.
    fn land(call: &mut Call, leading: &mut Leading<Self>, ending: Ending<Self>) -> Ending<Self>;

    /// [`Shareable::join`] for a sync function.
    fn join_blocking(
        call: &mut BlockingCall,
        digest: u64,
        key: &Key<'_>,
        leading: &mut Leading<Self>,
    ) -> ControlFlow<Ending<Self>>;

    /// [`Shareable::land`] for a sync function.
    fn land_blocking(call: &mut BlockingCall, leading: &mut Leading<Self>, ending: Ending<Self>) -> Ending<Self>;
}

#[diagnostic::do_not_recommend]
impl<R: Clone + Send + Sync + 'static> Shareable for R {
    fn join<'a>(
        call: &'a mut Call,
        digest: u64,
        key: &'a Key<'a>,
        leading: &'a mut Leading<Self>,
    ) -> Joining<'a, Self> {
        let joined = call.core.join(digest, key);
        Box::pin(Join { timer: Timer::new(), call, joined: Some(joined), leading })
    }

    fn land(call: &mut Call, leading: &mut Leading<Self>, ending: Ending<Self>) -> Ending<Self> {
        call.core.land(leading, ending)
    }

    fn join_blocking(
        call: &mut BlockingCall,
        digest: u64,
        key: &Key<'_>,
        leading: &mut Leading<Self>,
    ) -> ControlFlow<Ending<Self>> {
        match call.core.join(digest, key) {
            Err(ending) => ControlFlow::Break(ending),
            Ok(Role::Lead(lead)) => leading.take(&mut call.core, lead),
            Ok(Role::Follow(follower)) => follow_blocking(&mut call.core, follower, leading),
        }
    }

    fn land_blocking(call: &mut BlockingCall, leading: &mut Leading<Self>, ending: Ending<Self>) -> Ending<Self> {
        call.core.land(leading, ending)
    }
}

/// Of a type that says nothing of what `R` can do, so that what it cannot is one error, about the return type.
type Joining<'a, R> = Pin<Box<dyn Future<Output = ControlFlow<Ending<R>>> + Send + 'a>>;

/// How a leader's call ended, for those who follow it.
#[derive(Clone)]
struct Landed<R> {
    ending: Ending<R>,
    end: End,
    why: Option<Stop>,
    /// What was served degraded on the way there.
    degraded: Vec<Degraded>,
}

/// A place for the lead of a call. It stands before the call, so that it is dropped after it: whoever takes over finds
/// every guard as if the lost call had not been.
pub struct Leading<R> {
    lead: Option<Box<dyn Leads<R>>>,
    /// It was another call's first: this one has followed, and has what that left of its deadline.
    inherited: bool,
    /// The report of the call's own caller, while the call writes to one for all who get its answer.
    report: Option<Report>,
}

/// A lead, of which only [`Shareable`] knows that others can have its answer.
trait Leads<R>: Send + Sync {
    fn land(self: Box<Self>, landed: Landed<R>);
}

impl<R: Send + Sync + 'static> Leads<R> for Lead<Landed<R>> {
    fn land(self: Box<Self>, landed: Landed<R>) {
        Self::land(*self, landed);
    }
}

impl<R> Leading<R> {
    /// Nobody leads yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { lead: None, inherited: false, report: None }
    }
}

impl<R> Default for Leading<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Send + Sync + 'static> Leading<R> {
    fn take(&mut self, core: &mut Core, lead: Lead<Landed<R>>) -> ControlFlow<Ending<R>> {
        self.report = core.context.report.replace(Report::default());
        self.lead = Some(Box::new(lead));
        ControlFlow::Continue(())
    }
}

impl Core {
    /// `Err`: no time is left.
    fn join<R: Clone + Send + Sync + 'static>(
        &mut self,
        digest: u64,
        key: &Key<'_>,
    ) -> Result<Role<Landed<R>>, Ending<R>> {
        // A call that cannot ask must not lead.
        if self.deadline().0 <= self.entered() {
            return Err(Err(self.reject(RejectedKind::Expired, None)));
        }
        Ok(self.operation().flights.join(digest, key))
    }

    /// Another's answer, as this call's own.
    fn follow<R: Clone + Send + Sync + 'static>(&mut self, landed: &Arc<Landed<R>>) -> Ending<R> {
        let Landed { ending, end, why, degraded } = Landed::clone(landed);
        if let Some(report) = &self.context.report {
            report.append(&degraded);
        }
        self.answered(end, why);
        ending
    }

    /// Answers whoever follows, unless this call ran out of time that they may have: of its own caller's, or of a
    /// deadline that it had spent on following.
    fn land<R: Clone + Send + Sync + 'static>(&mut self, leading: &mut Leading<R>, ending: Ending<R>) -> Ending<R> {
        let Some(lead) = leading.lead.take() else { return ending };
        let degraded = self.context.report.take().map(|report| report.take()).unwrap_or_default();
        if let Some(report) = &leading.report {
            report.append(&degraded);
        }
        let (why, (_, own)) = (last_stop(), self.deadline());
        let expired = matches!(&ending, Err(rejected) if rejected.kind() == RejectedKind::Expired);
        // A retry that did not fit is time that was missing as well.
        let out_of_time = expired || why == Some(Stop::NoTime);
        if out_of_time && (!own || leading.inherited) {
            drop(lead);
        } else {
            lead.land(Landed { ending: ending.clone(), end: self.end, why, degraded });
        }
        ending
    }

    fn out_of_time<R>(&mut self) -> ControlFlow<Ending<R>> {
        ControlFlow::Break(Err(self.reject(RejectedKind::Deadline, None)))
    }
}

pin_project! {
    /// A call on its way to an answer or to the lead.
    struct Join<'a, R> where R: Send, R: Sync, R: 'static {
        #[pin]
        timer: Timer,
        call: &'a mut Call,
        // What it is to its flight, or what it ended with at once.
        joined: Option<Result<Role<Landed<R>>, Ending<R>>>,
        leading: &'a mut Leading<R>,
    }
}

impl<R: Clone + Send + Sync + 'static> Future for Join<'_, R> {
    type Output = ControlFlow<Ending<R>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let core = &mut this.call.core;
        Poll::Ready(match this.joined.take().expect("a call is not joined twice") {
            Err(ending) => ControlFlow::Break(ending),
            Ok(Role::Lead(lead)) => this.leading.take(core, lead),
            Ok(Role::Follow(mut follower)) => match follower.poll(cx) {
                Poll::Ready(arrival) => arrived(core, arrival, this.leading),
                Poll::Pending => {
                    *this.joined = Some(Ok(Role::Follow(follower)));
                    ready!(this.timer.poll_until(core.deadline().0, cx));
                    *this.joined = None;
                    core.out_of_time()
                }
            },
        })
    }
}

fn arrived<R: Clone + Send + Sync + 'static>(
    core: &mut Core,
    arrival: Arrival<Landed<R>>,
    leading: &mut Leading<R>,
) -> ControlFlow<Ending<R>> {
    match arrival {
        Arrival::Answer(landed) => ControlFlow::Break(core.follow(&landed)),
        Arrival::Lead(lead) => {
            core.sets_out();
            leading.inherited = true;
            leading.take(core, lead)
        }
    }
}

fn follow_blocking<R: Clone + Send + Sync + 'static>(
    core: &mut Core,
    mut follower: Follower<Landed<R>>,
    leading: &mut Leading<R>,
) -> ControlFlow<Ending<R>> {
    match block_on(core.deadline().0, |cx| follower.poll(cx)) {
        Some(arrival) => arrived(core, arrival, leading),
        None => core.out_of_time(),
    }
}
