/*!
 * What a note says of an edit: the words before and after it with what it changed marked, by strokes
 * and in words and not by colour alone; when it was saved; and the wiki's own pages that show and undo
 * it, which are named by the numbers of two revisions alone.
 */
'use strict';

const { h, bdi, button, icon, outward, unseen } = require( '../page/dom.js' );
const { ago, moment, msg } = require( '../page/messages.js' );

const MOST_REVISION = 1e12;

function isRevision( value ) {
	return Number.isInteger( value ) && value > 0 && value <= MOST_REVISION;
}

/**
 * @param {Object} card
 * @return {Object|null} since and until, the revisions on either side of the edit
 */
function revisionsOf( card ) {
	const change = card.change;
	return change && isRevision( change.since ) && isRevision( change.until ) && change.since < change.until ?
		{ since: change.since, until: change.until } : null;
}

// Messages: change-added, change-removed
function pieceOf( piece, tag ) {
	return piece.is_meant ? h( tag, {},
		unseen( msg( tag === 'ins' ? 'change-added' : 'change-removed' ) + ' ' ), piece.text,
		unseen( ' ' + msg( 'claim-unsupported-end' ) ) ) : piece.text;
}

function wordsOf( pieces, tag, place ) {
	return h( 'p', { class: 'sidenote-claim sidenote-change', dir: 'auto' },
		place ? h( 'span', { class: 'sidenote-claim__place' }, bdi( place ), ': ' ) : null,
		pieces.map( ( piece ) => pieceOf( piece, tag ) ) );
}

function label( key ) {
	// Messages: label-earlier, label-later, label-claim
	return h( 'h4', { class: 'sidenote-label', text: msg( key ) } );
}

/**
 * @param {Object} card
 * @param {Function} [diffAddress] gives the address of the diff between two revisions
 * @return {Array} before and after; when, and the diff
 */
function changeOf( card, diffAddress ) {
	const change = card.change, claim = card.claim, place = ( claim.place || [] ).join( ' · ' );
	const revisions = revisionsOf( card ), before = change.before.length;
	const diff = revisions && diffAddress ? diffAddress( card, revisions ) : '';
	return [
		before ? [ label( 'label-earlier' ), wordsOf( change.before, 'del', place ) ] : null,
		label( before ? 'label-later' : 'label-claim' ), wordsOf( claim.pieces, 'ins', place ),
		change.at || diff ? h( 'p', { class: 'sidenote-change__when' },
			change.at ? h( 'time', { datetime: change.at, title: moment( change.at ), text: msg( 'change-when', ago( change.at ) ) } ) : null,
			diff ? outward( diff, { class: 'sidenote-passage', 'data-key': 'o' },
				msg( 'change-diff' ), icon( 'outward' ), unseen( ' ' + msg( 'opens-elsewhere' ) ) ) : null ) : null
	];
}

/**
 * @param {Object} card
 * @param {Function} act is given the two revisions
 * @return {HTMLElement|null} a button that opens the wiki's form that undoes the edit
 */
function undoOf( card, act ) {
	const revisions = revisionsOf( card );
	return revisions ? button( { icon: 'outward', text: msg( 'change-undo' ), props: {
		title: msg( 'change-undo-help' ), 'data-key': 'r', onclick: () => act( revisions )
	} } ) : null;
}

module.exports = { changeOf, undoOf };
