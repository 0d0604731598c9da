/*!
 * What a note says of an edit: the words before and after it with what it changed marked, by strokes
 * and in words and not by colour alone; when it was saved; and the wiki's own pages that show and undo
 * it. Their addresses are made here, from the numbers of two revisions.
 */
'use strict';

const { h, bdi, icon, outward, unseen } = require( '../page/dom.js' );
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

function link( address, key, letter, props ) {
	// Messages: change-diff, change-undo
	return address ? outward( address, Object.assign( { 'data-key': letter }, props ),
		msg( key ), icon( 'outward' ), unseen( ' ' + msg( 'opens-elsewhere' ) ) ) : null;
}

/**
 * @param {Object} card
 * @param {Function} [addressOf] gives the address of a view of its page
 * @return {Array} before and after; when, and the diff
 */
function changeOf( card, addressOf ) {
	const change = card.change, claim = card.claim, place = ( claim.place || [] ).join( ' · ' );
	const revisions = revisionsOf( card ), before = change.before.length;
	const diff = revisions && addressOf ? addressOf( card, { diff: revisions.until, oldid: revisions.since } ) : '';
	return [
		before ? [ label( 'label-earlier' ), wordsOf( change.before, 'del', place ) ] : null,
		label( before ? 'label-later' : 'label-claim' ), wordsOf( claim.pieces, 'ins', place ),
		change.at || diff ? h( 'p', { class: 'sidenote-change__when' },
			change.at ? h( 'time', { datetime: change.at, title: moment( change.at ), text: msg( 'change-when', ago( change.at ) ) } ) : null,
			link( diff, 'change-diff', 'o', { class: 'sidenote-passage' } ) ) : null
	];
}

/**
 * @param {Object} card
 * @param {Function} [addressOf]
 * @return {HTMLElement|null} a link to the wiki's form that undoes the edit
 */
function undoOf( card, addressOf ) {
	const revisions = revisionsOf( card );
	const address = revisions && addressOf ? addressOf( card, {
		action: 'edit', undoafter: revisions.since, undo: revisions.until
	} ) : '';
	return link( address, 'change-undo', 'r', {
		class: 'cdx-button cdx-button--fake-button cdx-button--fake-button--enabled sidenote-button', title: msg( 'change-undo-help' )
	} );
}

module.exports = { changeOf, undoOf };
