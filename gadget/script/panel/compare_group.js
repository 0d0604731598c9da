/*!
 * The claims that people compare with their source, folded at the end: the words of both, those that
 * differ marked, and one tap for whether the source says so. What was answered stays until the panel
 * is loaded again, so that it can be undone.
 */
'use strict';

const cards = require( '../cards/cards.js' );
const { button, h, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );

const KIND = 'compare';

/**
 * @param {Object[]} all cards of a page
 * @return {Object} notes, and what is to be compared
 */
function parted( all ) {
	return { notes: all.filter( ( card ) => card.kind !== KIND ), compared: all.filter( ( card ) => card.kind === KIND ) };
}

/**
 * @param {Object[]} all the cards, those most likely to fail first
 * @param {Object} given
 * @param {Function} given.onAction see cards.js; its promise of a decision is waited for
 * @param {Function} given.onShow is given the card whose sentence is to be shown
 * @param {Function} given.say is given words for screen readers
 * @param {boolean} given.canWrite
 * @param {string[]} given.menu
 * @return {HTMLElement|null}
 */
function render( all, given ) {
	const open = all.filter( ( card ) => !card.mine );
	if ( !open.length ) {
		return null;
	}
	const list = h( 'ol', { class: 'sidenote-unchecked__list' } );

	function itemOf( card ) {
		const li = h( 'li', { class: 'sidenote-unchecked__item' } );
		const show = ( mine, isFocused ) => {
			const now = Object.assign( {}, card, { mine } );
			const onAction = ( name, _, detail, from ) => {
				const done = given.onAction( name, now, detail, from );
				if ( name !== 'compared' && name !== 'undo' ) {
					return done;
				}
				return Promise.resolve( done ).then( ( decision ) => {
					show( name === 'undo' ? null : decision, true );
					given.say( msg( name === 'undo' ? 'undone' : 'queue-compared' ) );
				} );
			};
			replace( li,
				cards.render( now, { onAction, menu: given.menu, canWrite: given.canWrite } ),
				button( { icon: 'search', text: msg( 'show-sentence' ), kind: 'quiet', props: { onclick: () => given.onShow( now ) } } ) );
			if ( isFocused ) {
				li.querySelector( '.sidenote-acts button' ).focus();
			}
		};
		show( null );
		return li;
	}

	// Made when they are opened: there may be hundreds.
	const fill = () => {
		if ( !list.firstChild ) {
			open.forEach( ( card ) => list.appendChild( itemOf( card ) ) );
		}
	};
	return h( 'details', { class: 'sidenote-unchecked sidenote-compare', ontoggle: fill },
		h( 'summary', { text: msg( 'to-compare', open.length ) } ),
		h( 'p', { class: 'sidenote-quiet', text: msg( 'to-compare-why' ) } ), list );
}

module.exports = { parted, render };
