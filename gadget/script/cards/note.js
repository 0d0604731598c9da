/*!
 * The words of a note as the backend made them for every surface; a kind of finding that this
 * script does not know is shown by them alone.
 */
'use strict';

const { h } = require( '../page/dom.js' );
const { words } = require( '../page/messages.js' );

// Messages: advice-*, kind-aged, note-*, certainty-*, label-*, backing-*, difference

/**
 * @param {Object} card
 * @return {HTMLElement|null} the two values where article and source differ
 */
function differenceOf( card ) {
	return card.note && card.note.difference ?
		h( 'p', { class: 'sidenote-difference', text: words( card.note.difference ) } ) : null;
}

/**
 * @param {Object} card of a kind that has no part of its own in this script
 * @return {HTMLElement[]} what the backend says of it
 */
function linesOf( card ) {
	return card.note && !card.update && !card.writing ?
		card.note.lines.map( ( line ) => h( 'p', { text: words( line ) } ) ) : [];
}

module.exports = { differenceOf, linesOf };
