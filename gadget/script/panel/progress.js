/*!
 * A check of this page while the reader watches: each step by name, its progress, and a way to stop
 * watching. Announcements are spaced out, so that a screen reader does not chatter.
 */
'use strict';

const { h, icon, button, bdi, replace, unseen } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const errorNotice = require( '../cards/error_notice.js' );
const { asFailure, Failure } = require( '../actions/failure.js' );

const SAID_EACH_MS = 5000;
const STEPS = [ 'step-wait', 'step-read', 'step-compare' ];

/** The index in STEPS of a check's current step; their number when it has ended. */
function stepOf( look ) {
	if ( look.ended_at ) {
		return STEPS.length;
	}
	if ( !look.begun_at ) {
		return 0;
	}
	return look.sources && look.sources_read >= look.sources ? 2 : 1;
}

function stepWords( look, step ) {
	if ( step === 1 && look.sources ) {
		const at = Math.min( look.sources_read + 1, look.sources );
		return look.reading ?
			msg( 'step-reading', look.reading, at, look.sources ) : msg( 'step-reading-some', at, look.sources );
	}
	if ( step === 2 && look.claims ) {
		return msg( 'step-comparing', look.claims_checked, look.claims );
	}
	return msg( STEPS[ Math.min( step, STEPS.length - 1 ) ] );
}

/** How much is done, from 0 to 1; reading takes most of the time. */
function shareOf( look ) {
	const read = look.sources ? look.sources_read / look.sources : 0;
	const compared = look.claims ? look.claims_checked / look.claims : 0;
	return look.ended_at ? 1 : 0.8 * read + 0.2 * compared;
}

function stepsOf( look ) {
	const now = stepOf( look );
	return h( 'ol', { class: 'sidenote-steps' }, STEPS.map( ( key, step ) => h( 'li', {
		class: 'sidenote-step' + ( step === now ? ' sidenote-step--now' : '' ), 'aria-current': step === now ? 'step' : null
	},
	icon( step < now ? 'check' : step === now ? 'next' : 'menu' ),
	step < now ? unseen( msg( 'step-done' ) + ' ' ) : null,
	bdi( step === now ? stepWords( look, step ) : msg( key ) ) ) ) );
}

/**
 * @param {Object} given
 * @param {Function} given.look is given what hears each step; gives a Promise with stop()
 * @param {Function} given.watch the same for a check that is under way already; gives a
 *  Promise of null where none is
 * @param {Function} given.signIn
 * @param {Function} given.onDone is given the last step
 * @param {Function} given.say
 * @return {Object} element, stop(), and join() which shows a check that others asked for
 */
function create( given ) {
	const problem = errorNotice.create();
	const place = h( 'div', { class: 'sidenote-look__place' } );
	const element = h( 'div', { class: 'sidenote-look' }, place, problem.element );
	let run = null, saidAt = 0;

	function showStart() {
		replace( place, button( { icon: 'look', text: msg( 'look' ), props: { class: 'sidenote-look__start', onclick: start } } ) );
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

	function step( look ) {
		const share = Math.round( 100 * Math.min( Math.max( shareOf( look ), 0 ), 1 ) );
		bar.firstChild.style.inlineSize = share + '%';
		bar.setAttribute( 'aria-valuenow', String( share ) );
		bar.setAttribute( 'aria-valuetext', stepWords( look, stepOf( look ) ) );
		replace( steps, stepsOf( look ) );
		if ( Date.now() - saidAt >= SAID_EACH_MS ) {
			saidAt = Date.now();
			given.say( stepWords( look, stepOf( look ) ) );
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
		saidAt = 0;
		replace( place, bar, steps, stopper );
		step( {} );
		if ( hadFocus ) {
			stopper.focus();
		}
	}

	function start() {
		showRun();
		follow( given.look );
	}

	function join() {
		let isShown = false;
		follow( ( onStep ) => given.watch( ( look ) => {
			if ( !isShown ) {
				isShown = true;
				showRun();
			}
			onStep( look );
		} ) );
	}

	function follow( way ) {
		const mine = way( ( look ) => run === mine && step( look ) );
		run = mine;
		Promise.resolve( mine ).then( ( last ) => {
			if ( run !== mine ) {
				return;
			}
			run = null;
			if ( last && last.problem ) {
				failed( new Failure( 'fault', { text: last.problem } ) );
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
