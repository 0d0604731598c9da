/*!
 * The words of a note as the backend made them for every surface. They come as message keys, so
 * that they are in the reader's language; a script that does not know a kind of finding shows the
 * English text.
 */
'use strict';

const { h } = require( '../page/dom.js' );
const { known, msg } = require( '../page/messages.js' );

// Messages: advice-*, kind-aged, note-*, certainty-*, label-*, backing-*, difference

/**
 * @param {Object} message of a note: key, english, values
 * @return {string}
 */
function words( message ) {
	if ( message.key && known( message.key ) ) {
		return msg( message.key, ...message.values );
	}
	return message.values.reduce( ( text, value, at ) => text.replace( '$' + ( at + 1 ), String( value ) ), message.english );
}

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

module.exports = { words, differenceOf, linesOf };
