/**
 * The number of notes beside the link, for those who asked for it.
 */
'use strict';

const config = require( './config.js' );
const { msg, number } = require( '../page/messages.js' );

const WAIT_MS = 10000;

/**
 * @param {Object} page of `current_page.js`
 * @return {Promise<number|null>} null where the backend does not say
 */
function count( page ) {
	const stopping = new AbortController();
	const late = setTimeout( () => stopping.abort(), WAIT_MS );
	const query = new URLSearchParams( { wiki: page.wiki, title: page.title } );
	return fetch( config.backend + '/api/v1/counts?' + query, {
		credentials: 'omit', referrerPolicy: 'no-referrer', signal: stopping.signal
	} ).then( ( answer ) => answer.ok ? answer.json() : null ).then( ( answer ) => {
		const found = answer && answer.counts && answer.counts[ page.title ];
		return Number.isInteger( found ) && found >= 0 ? found : null;
	} ).catch( () => null ).then( ( found ) => {
		clearTimeout( late );
		return found;
	} );
}

/**
 * Show the number on a link; screen readers say what it counts.
 *
 * @param {HTMLElement} link
 * @param {number} notes
 */
function show( link, notes ) {
	link.setAttribute( 'aria-label', msg( 'entry-count', notes ) );
	if ( notes ) {
		const badge = document.createElement( 'span' );
		badge.className = 'sidenote-count';
		badge.setAttribute( 'aria-hidden', 'true' );
		badge.textContent = number( notes );
		link.appendChild( badge );
	}
}

module.exports = { count: count, show: show };
