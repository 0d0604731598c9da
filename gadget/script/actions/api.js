/*!
 * Sends requests to the backend only: one function for each of its paths. Reading is anonymous; a
 * token is sent if there is one. Nothing is sent before a reader acts, everything ends within a
 * time-out, and every failure is one of seven kinds.
 */
'use strict';

const { Failure } = require( './failure.js' );

const BASE = '/api/v1';
const TIMEOUT_MS = 20000;
const RETRY_AFTER_MS = 400;
// Temporary failures, for which a second try may succeed.
const PASSING = [ 502, 503, 504 ];
const KIND_OF = { 401: 'signed-out', 403: 'refused', 404: 'unknown', 429: 'busy' };
const MAX_RETRY_S = 3600;
const SILENCE_MS = 30000;
const AGAIN_MS = 2000;
const MAX_OPENED = 5;

/**
 * @return {string} 128 random bits; the same key twice is the same act
 */
function newKey() {
	const bytes = crypto.getRandomValues( new Uint8Array( 16 ) );
	return Array.from( bytes, ( byte ) => byte.toString( 16 ).padStart( 2, '0' ) ).join( '' );
}

function query( given ) {
	const parts = new URLSearchParams();
	Object.keys( given ).forEach( ( name ) => {
		const values = Array.isArray( given[ name ] ) ? given[ name ] : [ given[ name ] ];
		values.forEach( ( value ) => {
			if ( value !== undefined && value !== null && value !== '' ) {
				parts.append( name, value );
			}
		} );
	} );
	const text = parts.toString();
	return text ? '?' + text : '';
}

function seconds( value ) {
	const number = Number( value );
	return number > 0 ? Math.min( Math.ceil( number ), MAX_RETRY_S ) : null;
}

function refusal( response, body ) {
	const error = body && typeof body.error === 'object' && body.error || {};
	return new Failure( KIND_OF[ response.status ] || 'fault', {
		status: response.status,
		code: typeof error.code === 'string' ? error.code : '',
		text: typeof error.message === 'string' ? error.message.slice( 0, 500 ) : '',
		reason: error.reason && Array.isArray( error.reason.values ) ? error.reason : null,
		retryInS: seconds( error.retry_in_s ) || seconds( response.headers.get( 'Retry-After' ) )
	} );
}

/**
 * @param {Response} response
 * @return {Promise<Object|null>} null where there is nothing to say
 */
function read( response ) {
	if ( response.status === 204 ) {
		return Promise.resolve( null );
	}
	return response.text().then( ( text ) => {
		if ( response.status === 202 && !text ) {
			return null;
		}
		let body;
		try {
			body = JSON.parse( text );
		} catch ( e ) {
			body = undefined;
		}
		if ( !response.ok ) {
			throw refusal( response, body );
		}
		if ( !body || typeof body !== 'object' ) {
			throw new Failure( 'fault', { status: response.status } );
		}
		return body;
	} );
}

/**
 * @param {string} url
 * @param {Object} init of fetch
 * @param {number} timeoutMs for all of it, the body too
 * @return {Promise<Object|null>}
 */
function once( url, init, timeoutMs ) {
	const controller = new AbortController();
	let isLate = false;
	const timer = setTimeout( () => {
		isLate = true;
		controller.abort();
	}, timeoutMs );
	const request = fetch( url, Object.assign( { signal: controller.signal }, init ) )
		.then( read )
		.catch( ( error ) => {
			if ( error instanceof Failure ) {
				throw error;
			}
			// The browser does not distinguish a lost network from an unreachable server.
			throw new Failure( isLate ? 'late' : 'offline' );
		} );
	const done = () => clearTimeout( timer );
	request.then( done, done );
	return request;
}

function mayPass( failure ) {
	return failure.kind === 'offline' ||
		PASSING.includes( failure.status ) && !failure.retryInS;
}

function parsed( text ) {
	try {
		const step = JSON.parse( text );
		return step && typeof step === 'object' ? step : null;
	} catch ( e ) {
		return null;
	}
}

/**
 * Follow a check of a page step by step, over an EventSource. The browser reconnects by itself;
 * this adds what it does not do: end at `end`, notice silence, and find the reason for a refusal,
 * which an EventSource does not reveal.
 *
 * @param {Object} given
 * @param {string} given.url of the events
 * @param {Function} given.state asks where the check stands, when events do not tell
 * @param {Function} given.onStep is given each CheckAnswer
 * @return {Object} promise of the last CheckAnswer (null if stopped before any), and stop()
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
		source.addEventListener( 'check', ( event ) => {
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

/**
 * @param {Object} given
 * @param {string} given.address of the backend, without a slash at its end; '' for our own
 * @param {Function} given.token gives the token or null
 * @param {number} [given.timeoutMs]
 * @return {Object} see the functions at the end
 */
function create( given ) {
	const timeoutMs = given.timeoutMs || TIMEOUT_MS;
	const signedOut = [];

	function ask( method, path, body, headers ) {
		const token = given.token && given.token();
		const init = { method, headers: Object.assign( {}, headers ), credentials: 'omit', redirect: 'error' };
		if ( token ) {
			init.headers.Authorization = 'Bearer ' + token;
		}
		if ( body !== undefined ) {
			init.headers[ 'Content-Type' ] = 'application/json';
			init.body = JSON.stringify( body );
		}
		return once( given.address + BASE + path, init, timeoutMs ).catch( ( failure ) => {
			if ( failure.kind === 'signed-out' && token ) {
				signedOut.forEach( ( tell ) => tell( token ) );
			}
			throw failure;
		} );
	}

	function get( path ) {
		return ask( 'GET', path ).catch( ( failure ) => {
			if ( !mayPass( failure ) ) {
				throw failure;
			}
			return new Promise( ( resolve ) => {
				setTimeout( resolve, RETRY_AFTER_MS );
			} ).then( () => ask( 'GET', path ) );
		} );
	}

	function act( path, body, key ) {
		return ask( 'POST', path, body, { 'Idempotency-Key': key || newKey() } );
	}

	const name = encodeURIComponent;
	const checkState = ( wiki, title ) => get( '/checks' + query( { wiki, title } ) );
	return {
		page: ( wiki, title, revision ) => get( '/suggestions' + query( { wiki, title, revision } ) ),
		diff: ( wiki, title, revision, since ) => get( '/suggestions' + query( { wiki, title, revision, since } ) ),
		counts: ( wiki, titles ) => get( '/counts' + query( { wiki, title: titles } ) ),
		card: ( wiki, id ) => get( '/suggestions/' + name( id ) + query( { wiki } ) ),
		// With its own key, a second try after a time-out is the same act.
		decide: ( body, key ) => act( '/decisions', body, key ),
		undo: ( id ) => ask( 'DELETE', '/decisions/' + name( id ) ),
		check: ( wiki, title ) => ask( 'POST', '/checks', { wiki, title } ),
		checkState,
		follow: ( wiki, title, since, onStep ) => follow( {
			url: given.address + BASE + '/checks/events' + query( { wiki, title, since } ),
			state: () => checkState( wiki, title ),
			onStep
		} ),
		supply: ( body ) => ask( 'POST', '/supplied-texts', body ),
		supplied: ( wiki, id ) => get( '/supplied-texts/' + name( id ) + query( { wiki } ) ),
		queue: ( after, limit, kind ) => get( '/queue' + query( { after, limit, kind } ) ),
		comparison: () => get( '/comparisons/next' ),
		prefer: ( id, which, key ) => act( '/comparisons/' + name( id ), { preferred: which }, key ),
		review: ( body, key ) => act( '/reviews', body, key ),
		ways: ( wiki ) => get( '/ways' + query( { wiki } ) ),
		beginSignIn: ( body ) => ask( 'POST', '/sign-ins', body ),
		finishSignIn: ( state, secret ) => ask( 'POST', '/sign-ins/' + name( state ) + '/finish', { secret } ),
		reader: () => get( '/reader' ),
		signOut: () => ask( 'DELETE', '/reader' ),
		/** @param {Function} tell is called with the token that the backend no longer knows */
		onSignedOut: ( tell ) => signedOut.push( tell )
	};
}

module.exports = { create, newKey };
