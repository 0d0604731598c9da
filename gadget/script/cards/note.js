/*!
 * The words of a note as the backend made them for every surface; a kind of finding that this
 * script does not know is shown by them alone.
 */
'use strict';

const { h } = require( '../page/dom.js' );
const { words } = require( '../page/messages.js' );

// Messages: advice-*, kind-aged, note-*, certainty-*, label-*, backing-*, day-*, difference, reason-absent, reason-lacking, nothing-near

/**
 * @param {Object} card
 * @return {HTMLElement|null} what is wrong, in one line
 */
function reasonOf( card ) {
	return card.note && card.note.reason ?
		h( 'p', { class: 'sidenote-difference', text: words( card.note.reason ) } ) : null;
}

/**
 * @param {Object} card of a kind that has no part of its own in this script
 * @return {HTMLElement[]} what the backend says of it
 */
function linesOf( card ) {
	return card.note && !card.update && !card.writing ?
		card.note.lines.map( ( line ) => h( 'p', { text: words( line ) } ) ) : [];
}

module.exports = { reasonOf, linesOf };
