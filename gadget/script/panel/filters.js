/*!
 * Which notes are shown: chips by kind, with their number. Doubtful ones are hidden until the
 * reader asks for them, unless there are no others at first; so are those that the reader has
 * decided about.
 */
'use strict';

const { h, icon, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const { KINDS, kindOf, kindShort } = require( '../cards/verdicts.js' );

const DOUBTFUL = 'doubtful', DECIDED = 'decided';

/**
 * @param {Object} given
 * @param {boolean} given.doubtful whether doubtful notes are shown at first
 * @param {Function} given.onChange
 * @return {Object} element, shows( card ), update( cards ), showDoubtful( isShown ), reset()
 */
function create( given ) {
	const hidden = new Set( given.doubtful ? [ DECIDED ] : [ DOUBTFUL, DECIDED ] );
	let isFirst = true;
	const element = h( 'div', { class: 'sidenote-chips', role: 'group', 'aria-label': msg( 'filters' ) } );

	function shows( card ) {
		if ( card.mine ) {
			return !hidden.has( DECIDED );
		}
		return !hidden.has( kindOf( card ) ) && ( card.is_flagged || !hidden.has( DOUBTFUL ) );
	}

	function chip( name, words, sign, number ) {
		const isOn = !hidden.has( name );
		return h( 'button', {
			type: 'button', class: 'sidenote-chip', 'aria-pressed': String( isOn ), 'data-kind': name,
			onclick: () => {
				hidden[ isOn ? 'add' : 'delete' ]( name );
				given.onChange();
				const again = element.querySelector( '[data-kind="' + name + '"]' );
				if ( again ) {
					again.focus();
				}
			}
		}, icon( isOn ? 'check' : sign ), h( 'span', { text: msg( 'chip', words, number ) } ) );
	}

	/** @param {Object[]} cards all there are */
	function update( cards ) {
		const open = cards.filter( ( card ) => !card.mine );
		if ( isFirst && open.length ) {
			isFirst = false;
			if ( !open.some( ( card ) => card.is_flagged ) ) {
				hidden.delete( DOUBTFUL );
			}
		}
		const sure = open.filter( ( card ) => card.is_flagged || !hidden.has( DOUBTFUL ) );
		const count = ( kind ) => sure.filter( ( card ) => kindOf( card ) === kind ).length;
		const kinds = KINDS.filter( ( kind ) => count( kind ) );
		const doubtful = open.filter( ( card ) => !card.is_flagged ).length;
		const decided = cards.length - open.length;
		const chips = ( kinds.length > 1 || kinds.some( ( kind ) => hidden.has( kind ) ) ? kinds : [] )
			.map( ( kind ) => chip( kind, kindShort( kind ), kind, count( kind ) ) )
			.concat( doubtful ? chip( DOUBTFUL, msg( 'doubtful' ), 'doubtful', doubtful ) : [] )
			.concat( decided ? chip( DECIDED, msg( 'decided' ), 'check', decided ) : [] );
		replace( element, chips );
		element.hidden = !chips.length;
	}

	/** @param {boolean} isShown whether doubtful notes are shown from now on */
	function showDoubtful( isShown ) {
		hidden[ isShown ? 'delete' : 'add' ]( DOUBTFUL );
	}

	function reset() {
		hidden.clear();
		given.onChange();
	}

	return { element, shows, update, showDoubtful, reset };
}

module.exports = { create };
