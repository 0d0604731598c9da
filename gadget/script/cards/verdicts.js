/*!
 * The names and icons for each closed set of the backend: kinds of finding, reasons, trust, results
 * of reading. An unknown value gets neutral words, so that an older script still shows what a newer
 * backend sends.
 */
'use strict';

const { h, icon } = require( '../page/dom.js' );
const { msg, words } = require( '../page/messages.js' );
const { writingWords } = require( './writing.js' );

// Messages: kind-*, kind-short-*, reason-*, trust-*, outcome-*
const KINDS = [ 'contradicted', 'changed', 'not-supported', 'partially-supported', 'update', 'source', 'writing', 'copied', 'supported', 'compare' ];
const OWN_KINDS = [ 'changed', 'update', 'source', 'writing', 'copied', 'compare' ]; // whatever the verdict
const OF_THIS_SCRIPT = [ 'citation', 'update', 'source', 'writing' ];
const VERDICTS = [ 'supported', 'partially supported', 'not supported', 'contradicted' ];
const OF_EDITS = [ 'new words are right', 'source is old', 'copyedit' ]; // what only a note about an edit is dismissed for
const REASONS = [ ...OF_EDITS, 'source says it', 'wrong source read', 'not worth it', 'already fixed', 'other' ];
const RIGHT = {
	changed: 'reason-new-words-are-right',
	update: 'reason-up-to-date', writing: 'reason-wording-fine', copied: 'reason-wording-fine',
	source: 'ignored-the-source-does-not-bear-the-statement-out'
};
const TRUST = {
	reliable: 'supported', mixed: 'partially-supported', unlisted: 'doubtful',
	unreliable: 'not-supported', deprecated: 'not-supported', blacklisted: 'contradicted',
	mirror: 'not-supported', self_published: 'not-supported', predatory: 'contradicted',
	questioned: 'doubtful'
};
const OUTCOMES = [
	'empty shell', 'login wall', 'cookie wall', 'bot check', 'refused', 'robots.txt forbids it',
	'gone', 'soft 404', 'parked domain', 'unreachable', 'too large', 'not text', 'foreign language',
	'boilerplate', 'incomplete',
	'forbidden address', 'offline', 'not read', 'read'
];

function slug( value ) {
	return String( value ).toLowerCase().replace( /[^a-z0-9]+/g, '-' );
}

/**
 * @param {Object} card
 * @return {boolean} whether the backend sends the words for its kind
 */
function hasOwnHeadline( card ) {
	return Boolean( card.note ) && !OF_THIS_SCRIPT.includes( card.kind );
}

/**
 * @param {Object} card
 * @return {string} one of KINDS
 */
function kindOf( card ) {
	if ( hasOwnHeadline( card ) && !OWN_KINDS.includes( card.kind ) ) {
		return 'update';
	}
	const kind = OWN_KINDS.includes( card.kind ) ? card.kind : slug( card.verdict );
	return KINDS.includes( kind ) ? kind : 'not-supported';
}

/**
 * @param {string} kind one of KINDS
 * @return {string}
 */
function kindWords( kind ) {
	return msg( 'kind-' + kind );
}

/**
 * @param {Object} card
 * @return {string} what is the matter
 */
function titleWords( card ) {
	if ( card.writing ) {
		return writingWords( card.writing );
	}
	if ( hasOwnHeadline( card ) || card.note && card.kind === 'citation' ) {
		return words( card.note.headline );
	}
	const kind = card.update ? card.update.kind : '';
	if ( kind === 'source worth reading' ) {
		return msg( 'kind-pointer' );
	}
	return kind === 'new fact' ? msg( 'kind-new-fact' ) : kindWords( kindOf( card ) );
}

function kindShort( kind ) {
	return msg( 'kind-short-' + kind );
}

/**
 * @param {string} reason
 * @param {Object} [card] that it is given for
 * @return {string}
 */
function reasonWords( reason, card ) {
	const key = slug( REASONS.includes( reason ) ? reason : 'other' );
	// For newer facts and wording, the reason is that the article is right, not its source; for a
	// source that was found, that it does not say what the article does.
	const kind = card ? kindOf( card ) : '';
	const isRight = OWN_KINDS.includes( kind ) && key === 'source-says-it';
	return msg( isRight ? RIGHT[ kind ] : 'reason-' + key );
}

/**
 * @param {Object} card
 * @return {string[]} the reasons that make sense of it
 */
function reasonsFor( card ) {
	if ( card.kind === 'changed' ) {
		return REASONS.filter( ( reason ) => ![ 'source says it', 'not worth it' ].includes( reason ) );
	}
	return REASONS.filter( ( reason ) => !OF_EDITS.includes( reason ) && ( card.kind !== 'writing' || reason !== 'wrong source read' ) );
}

function outcomeWords( outcome ) {
	return msg( 'outcome-' + ( OUTCOMES.includes( outcome ) ? slug( outcome ) : 'other' ) );
}

/**
 * @param {Object} reliability of a source
 * @return {HTMLElement} a badge in words, with a shape of its own
 */
function badge( reliability ) {
	const trust = slug( reliability.trust ).replace( /-/g, '_' );
	const isKnown = Object.prototype.hasOwnProperty.call( TRUST, trust );
	const sign = isKnown ? TRUST[ trust ] : 'doubtful';
	return h( 'span', { class: 'sidenote-badge sidenote-tone--' + sign, title: reliability.note },
		icon( sign ), h( 'span', { text: msg( 'trust-' + ( isKnown ? slug( trust ) : 'unlisted' ) ) } ),
		reliability.named_by ? h( 'bdi', { class: 'sidenote-badge__list', text: '(' + reliability.named_by + ')' } ) : null );
}

module.exports = { VERDICTS, REASONS, KINDS, hasOwnHeadline, kindOf, kindWords, titleWords, kindShort, reasonWords, reasonsFor, outcomeWords, badge, slug };
