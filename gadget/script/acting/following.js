/*!
 * Follows a look at a page step by step, over an EventSource. The browser opens it again
 * by itself after a cut; here is what it does not do: it ends at `end`, notices a silence,
 * and finds the reason of a refusal, which an EventSource keeps to itself.
 */
'use strict';

const { Failure } = require( './failing.js' );

const SILENCE_MS = 30000;
const AGAIN_MS = 2000;
const MAX_OPENED = 5;

function parsed( text ) {
	try {
		const step = JSON.parse( text );
		return step && typeof step === 'object' ? step : null;
	} catch ( e ) {
		return null;
	}
}

/**
 * @param {Object} given
 * @param {string} given.url of the events
 * @param {Function} given.state asks where the look stands, when events do not tell
 * @param {Function} given.onStep is given each LookAnswer
 * @return {Object} promise of the last LookAnswer (null if stopped before any), and stop()
 */
function follow( given ) {
	let source = null, timer = null, last = null, opened = 0, isOver = false;
	let resolve, reject;
	const promise = new Promise( ( yes, no ) => {
		resolve = yes;
		reject = no;
	} );

	function end( error ) {
		isOver = true;
		clearTimeout( timer );
		if ( source ) {
			source.close();
		}
		if ( error ) {
			reject( error );
		} else {
			resolve( last );
		}
	}

	function step( answer ) {
		last = answer;
		given.onStep( answer );
	}

	// No reason is told by the stream itself, so the state is asked for, whose refusal
	// has one.
	function ask( then ) {
		given.state().then( ( answer ) => {
			if ( isOver ) {
				return;
			}
			step( answer );
			if ( answer.ended_at || answer.problem ) {
				end();
			} else {
				then();
			}
		} ).catch( ( error ) => isOver || end( error ) );
	}

	function watch() {
		clearTimeout( timer );
		timer = setTimeout( () => ask( watch ), SILENCE_MS );
	}

	function open() {
		if ( isOver ) {
			return;
		}
		opened += 1;
		source = new EventSource( given.url );
		watch();
		source.addEventListener( 'look', ( event ) => {
			const answer = parsed( event.data );
			if ( answer && !isOver ) {
				opened = 0;
				watch();
				step( answer );
			}
		} );
		source.addEventListener( 'end', () => isOver || end() );
		source.onerror = () => {
			if ( isOver || source.readyState !== EventSource.CLOSED ) {
				return;
			}
			clearTimeout( timer );
			ask( () => {
				if ( opened >= MAX_OPENED ) {
					end( new Failure( 'offline' ) );
				} else {
					timer = setTimeout( open, AGAIN_MS );
				}
			} );
		};
	}

	open();
	return { promise, stop: () => isOver || end() };
}

module.exports = { follow };
