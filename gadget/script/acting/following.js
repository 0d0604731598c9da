/*!
 * Follows a check of a page step by step, over an EventSource. The browser reconnects by itself;
 * this adds what it does not do: end at `end`, notice silence, and find the reason for a refusal,
 * which an EventSource does not reveal.
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

	// The stream itself gives no reason, so request the state, whose refusal has one.
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
