/*!
 * What the panel says when there are no notes to show: each state in words, with what the
 * reader can do about it.
 */
'use strict';

const { h, icon, button, bdi } = require( '../page/dom.js' );
const { ago, msg } = require( '../page/messages.js' );

const BONES = 3;

/**
 * @param {Object} given
 * @param {string} given.icon
 * @param {string} given.title
 * @param {Array} [given.words] paragraphs
 * @param {Node} [given.act]
 * @return {HTMLElement}
 */
function state( given ) {
	return h( 'div', { class: 'sidenote-state' },
		icon( given.icon ),
		h( 'h3', { class: 'sidenote-state__title', text: given.title } ),
		( given.words || [] ).filter( Boolean ).map( ( words ) => h( 'p', null, words ) ),
		given.act );
}

function loading() {
	const bones = [];
	for ( let each = 0; each < BONES; each++ ) {
		bones.push( h( 'div', { class: 'sidenote-bone', 'aria-hidden': 'true' },
			h( 'span', { class: 'sidenote-bone__line' } ), h( 'span', { class: 'sidenote-bone__line' } ), h( 'span', { class: 'sidenote-bone__line' } ) ) );
	}
	return h( 'div', { class: 'sidenote-loading' }, h( 'p', { class: 'sidenote-quiet', text: msg( 'loading' ) } ), bones );
}

/**
 * @param {string} host that would be asked
 * @param {Function} accept
 * @param {Function} refuse
 * @return {HTMLElement}
 */
function consent( host, accept, refuse ) {
	return state( {
		icon: 'info', title: msg( 'consent-title' ), words: [ msg( 'consent-what', host ), msg( 'consent-not' ) ],
		act: h( 'div', { class: 'sidenote-state__acts' },
			button( { text: msg( 'consent-yes' ), kind: 'primary', props: { onclick: accept } } ),
			button( { text: msg( 'consent-no' ), props: { onclick: refuse } } ) )
	} );
}

/**
 * @param {Object} answer about a page that has been checked
 * @return {string} how many of its statements are supported, and how many nobody could check
 */
function lastCheckWords( answer ) {
	const last = answer.last_check;
	const unchecked = answer.unchecked.length;
	return msg( unchecked ? 'looked-unchecked' : 'looked',
		last.supported, last.claims, ago( last.at ), unchecked );
}

function empty( answer, act ) {
	const isNothing = answer.last_check.claims > 0 && answer.unchecked.length >= answer.last_check.claims;
	return state( {
		icon: isNothing ? 'info' : 'supported', title: msg( isNothing ? 'none-checked' : 'empty' ),
		words: [ lastCheckWords( answer ) ], act
	} );
}

function neverChecked( isWaiting, act ) {
	return state( {
		icon: 'search', title: msg( isWaiting ? 'waiting' : 'never-looked' ),
		words: [ msg( isWaiting ? 'waiting-what' : 'never-looked-what' ) ], act
	} );
}

function stopped( title, resume ) {
	return state( {
		icon: 'stop', title: msg( 'stopped' ), words: [ h( 'span', null, bdi( title ) ), msg( 'stopped-what' ) ],
		act: button( { icon: 'undo', text: msg( 'resume' ), props: { onclick: resume } } )
	} );
}

function filteredOut( number, showAll ) {
	return state( {
		icon: 'info', title: msg( 'filtered-out', number ),
		act: button( { text: msg( 'show-all' ), props: { onclick: showAll } } )
	} );
}

function allDone() {
	return state( { icon: 'check', title: msg( 'all-done' ), words: [ msg( 'all-done-what' ) ] } );
}

module.exports = { loading, consent, empty, neverChecked, stopped, filteredOut, allDone, lastCheckWords };
