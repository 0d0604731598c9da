/*!
 * A check of this page while the reader watches: each step by name, its progress, and a way to stop
 * watching. Announcements are spaced out, so that a screen reader does not chatter.
 */
'use strict';

const { h, icon, button, bdi, replace, unseen } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const errorNotice = require( '../cards/error_notice.js' );
const { asFailure, Failure } = require( '../actions/failure.js' );

const ANNOUNCE_EACH_MS = 5000;
const STEPS = [ 'step-wait', 'step-read', 'step-compare' ];

/** The index in STEPS of a check's current step; their number when it has ended. */
function stepOf( check ) {
	if ( check.ended_at ) {
		return STEPS.length;
	}
	if ( !check.begun_at ) {
		return 0;
	}
	return check.sources && check.sources_read >= check.sources ? 2 : 1;
}

function stepWords( check, step ) {
	if ( step === 1 && check.sources ) {
		const at = Math.min( check.sources_read + 1, check.sources );
		return check.reading ?
			msg( 'step-reading', check.reading, at, check.sources ) : msg( 'step-reading-some', at, check.sources );
	}
	if ( step === 2 && check.claims ) {
		return msg( 'step-comparing', check.claims_checked, check.claims );
	}
	return msg( STEPS[ Math.min( step, STEPS.length - 1 ) ] );
}

/** How much is done, from 0 to 1; reading takes most of the time. */
function shareOf( check ) {
	const read = check.sources ? check.sources_read / check.sources : 0;
	const compared = check.claims ? check.claims_checked / check.claims : 0;
	return check.ended_at ? 1 : 0.8 * read + 0.2 * compared;
}

function stepsOf( check ) {
	const now = stepOf( check );
	return h( 'ol', { class: 'sidenote-steps' }, STEPS.map( ( key, step ) => h( 'li', {
		class: 'sidenote-step' + ( step === now ? ' sidenote-step--now' : '' ), 'aria-current': step === now ? 'step' : null
	},
	icon( step < now ? 'check' : step === now ? 'next' : 'menu' ),
	step < now ? unseen( msg( 'step-done' ) + ' ' ) : null,
	bdi( step === now ? stepWords( check, step ) : msg( key ) ) ) ) );
}

/**
 * @param {Object} given
 * @param {Function} given.check is given what hears each step; gives a Promise with stop()
 * @param {Function} given.watch the same for a check that is under way already; gives a
 *  Promise of null where none is
 * @param {Function} given.signIn
 * @param {Function} given.onDone is given the last step
 * @param {Function} given.say
 * @return {Object} element, stop(), and join() which shows a check that others asked for
 */
function create( given ) {
	const problem = errorNotice.create();
	const place = h( 'div', { class: 'sidenote-progress__place' } );
	const element = h( 'div', { class: 'sidenote-progress' }, place, problem.element );
	let run = null, announcedAt = 0;

	function showStart() {
		replace( place, button( { icon: 'search', text: msg( 'look' ), props: { class: 'sidenote-progress__start', onclick: start } } ) );
	}

	function stop() {
		if ( run ) {
			const ended = run;
			run = null;
			if ( ended.stop ) {
				ended.stop();
			}
		}
	}

	function left() {
		stop();
		showStart();
		place.prepend( h( 'p', { class: 'sidenote-quiet', text: msg( 'look-goes-on' ) } ) );
		given.say( msg( 'look-goes-on' ) );
		place.querySelector( 'button' ).focus();
	}

	const bar = h( 'div', { class: 'sidenote-bar', role: 'progressbar', 'aria-label': msg( 'look-progress' ), 'aria-valuemin': '0', 'aria-valuemax': '100' },
		h( 'span', { class: 'sidenote-bar__done' } ) );
	const steps = h( 'div' );

	function step( check ) {
		const share = Math.round( 100 * Math.min( Math.max( shareOf( check ), 0 ), 1 ) );
		bar.firstChild.style.inlineSize = share + '%';
		bar.setAttribute( 'aria-valuenow', String( share ) );
		bar.setAttribute( 'aria-valuetext', stepWords( check, stepOf( check ) ) );
		replace( steps, stepsOf( check ) );
		if ( Date.now() - announcedAt >= ANNOUNCE_EACH_MS ) {
			announcedAt = Date.now();
			given.say( stepWords( check, stepOf( check ) ) );
		}
	}

	function failed( error ) {
		run = null;
		showStart();
		problem.show( error, {
			again: start,
			signIn: () => Promise.resolve().then( given.signIn ).then( start, failed )
		} );
	}

	function showRun() {
		const hadFocus = element.contains( document.activeElement );
		const stopper = button( { text: msg( 'look-stop' ), props: { onclick: left } } );
		problem.clear();
		announcedAt = 0;
		replace( place, bar, steps, stopper );
		step( {} );
		if ( hadFocus ) {
			stopper.focus();
		}
	}

	function start() {
		showRun();
		follow( given.check );
	}

	function join() {
		let isShown = false;
		follow( ( onStep ) => given.watch( ( check ) => {
			if ( !isShown ) {
				isShown = true;
				showRun();
			}
			onStep( check );
		} ) );
	}

	function follow( way ) {
		const mine = way( ( check ) => run === mine && step( check ) );
		run = mine;
		Promise.resolve( mine ).then( ( last ) => {
			if ( run !== mine ) {
				return;
			}
			run = null;
			if ( last && last.problem ) {
				failed( new Failure( 'fault', { text: last.problem, reason: last.reason } ) );
			} else {
				showStart();
				if ( last ) {
					given.onDone( last );
				}
			}
		}, ( error ) => run === mine && failed( asFailure( error ) ) );
	}

	showStart();
	return { element, stop, join };
}

module.exports = { create };
