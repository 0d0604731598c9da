/*!
 * The place of one card of the queue: its page, its sentence in context, and how far the reader has
 * come.
 */
'use strict';

const { bdi, h, outward } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const context = require( './queue_context.js' );
const { wikiAddress } = require( '../acting/wiki_address.js' );

/**
 * @param {Object} card
 * @return {string} address of its page, at its section
 */
function pageAddress( card ) {
	const address = wikiAddress( card.wiki, { title: card.title } );
	const section = card.claim.section[ card.claim.section.length - 1 ];
	return address && section ? address + '#' + encodeURIComponent( section.replace( / /g, '_' ) ) : address;
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {string} given.here the wiki that the reader is on
 * @param {Object} given.card
 * @return {Element} with a heading that can be focused
 */
function show( given ) {
	const { card, mw } = given;
	const isHere = card.wiki === given.here && mw.config.get( 'skin' ) !== 'sidenote-local';
	return h( 'header', { class: 'sidenote-queue__place' },
		h( 'h2', { class: 'sidenote-queue__page', tabindex: '-1' },
			outward( pageAddress( card ), {}, bdi( card.title ) ),
			...card.claim.section.map( ( name ) => [ h( 'span', { class: 'sidenote-queue__step', 'aria-hidden': 'true' } ), h( 'span', { class: 'sidenote-queue__section' }, bdi( name ) ) ] ) ),
		h( 'p', { class: 'sidenote-queue__wiki', dir: 'ltr', text: card.wiki } ),
		context.show( mw, card, isHere ) );
}

/**
 * @param {Object} pile
 * @return {Element} such as "3 of 41", in words and as a bar
 */
function progress( pile ) {
	const total = pile.total(), at = Math.min( pile.at() + 1, total );
	const text = msg( 'queue-progress', at, total );
	const bar = h( 'progress', { class: 'sidenote-queue__progress-bar', 'aria-label': text } );
	bar.max = total;
	bar.value = at;
	return h( 'div', { class: 'sidenote-queue__progress' }, h( 'span', { text } ), bar );
}

module.exports = { show, progress };
