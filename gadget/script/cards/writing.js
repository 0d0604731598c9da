/*!
 * What a note about the wording says: what is wrong, what to do about it, and the guideline behind
 * it. The words themselves are marked in their sentence.
 */
'use strict';

const { h, bdi, outward, unseen } = require( '../page/dom.js' );
const { msg, written } = require( '../page/messages.js' );

// Messages: writing-*, advice-*
const KINDS = [
	'lead-too-long-or-too-short', 'lead-does-not-stand-alone', 'said-in-the-lead-alone', 'peacock-term',
	'contentious-label', 'unsupported-attribution', 'expression-of-doubt', 'editorializing',
	'loaded-synonym-of-said', 'euphemism', 'clich-or-idiom', 'relative-time', 'unspecified-place-or-event',
	'survived-by', 'tone', 'unsourced-paragraph', 'few-citations', 'overlong-section', 'close-paraphrase',
	'one-sided-sourcing', 'recentism', 'heading', 'essay-like', 'empty-citation', 'forecast-that-is-over',
	'by-a-model-s-reading'
];

/** One of KINDS, or null if a newer backend has another one. */
function kindOf( writing ) {
	const kind = String( writing.kind ).toLowerCase().replace( /[^a-z0-9]+/g, '-' );
	return KINDS.includes( kind ) ? kind : null;
}

/**
 * @param {Object} writing of a card
 * @return {string} what is the matter
 */
function writingWords( writing ) {
	const kind = kindOf( writing );
	return msg( kind ? 'writing-' + kind : 'kind-writing' );
}

/** The English text is about these very words; translations are about all of the kind. */
function adviceOf( writing ) {
	const kind = kindOf( writing );
	return kind && written().lang !== 'en' ? msg( 'advice-' + kind ) : h( 'span', { lang: 'en', text: writing.advice } );
}

/**
 * @param {Object} card
 * @return {Array|null} what to do about it, and why
 */
function writingOf( card ) {
	const writing = card.writing;
	if ( !writing ) {
		return null;
	}
	return [
		h( 'p', { class: 'sidenote-advice' }, adviceOf( writing ) ),
		h( 'p', { class: 'sidenote-quiet', lang: 'en', dir: 'auto', text: writing.message } ),
		h( 'p', { class: 'sidenote-quiet' }, msg( 'writing-guideline' ), ' ',
			outward( writing.href, { class: 'sidenote-guideline' }, bdi( writing.guideline ),
				unseen( ' ' + msg( 'opens-elsewhere' ) ) ) )
	];
}

module.exports = { writingOf, writingWords };
