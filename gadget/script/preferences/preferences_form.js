/**
 * The preferences in a native browser dialog, without Vue.
 */
'use strict';

const dialogs = require( '../page/dialog.js' );
const choosing = require( './preferences_choices.js' );
const { h, bdi } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );

function box( name, label, help, isChosen ) {
	const id = 'sidenote-preference-' + name;
	const described = help ? { 'aria-describedby': id + '-help' } : {};
	const input = h( 'input', Object.assign( {
		class: 'cdx-checkbox__input', type: 'checkbox', id: id, checked: isChosen
	}, described ) );
	input.checked = isChosen;
	return {
		input: input,
		element: h( 'div', { class: 'cdx-checkbox' },
			h( 'div', { class: 'cdx-checkbox__wrapper' },
				input,
				h( 'span', { class: 'cdx-checkbox__icon' } ),
				h( 'div', { class: 'cdx-checkbox__label cdx-label' },
					h( 'label', { class: 'cdx-label__label', for: id },
						h( 'span', { class: 'cdx-label__label__text' }, label ) ),
					help ? h( 'span', {
						class: 'cdx-label__description', id: id + '-help', text: help
					} ) : '' ) ) )
	};
}

/**
 * @param {Object} before what is chosen now
 * @param {Function} save keeps values; gives a promise
 * @return {Promise<Object|null>}
 */
function ask( before, save ) {
	return new Promise( ( resolve ) => {
		let saved = null;
		const dialog = dialogs.open( {
			title: msg( 'preferences-title' ), onClose: () => resolve( saved )
		} );
		const boxes = choosing.choices().map( ( choice ) => ( {
			name: choice.name,
			shown: box( choice.name, choice.label, choice.help, before[ choice.name ] )
		} ) );
		const pages = before.stopped.map( ( title, place ) => ( {
			title: title, shown: box( 'stopped-' + place, bdi( title ), '', true )
		} ) );
		const failed = h( 'div', { role: 'alert' } );
		const button = h( 'button', {
			class: 'cdx-button cdx-button--action-progressive cdx-button--weight-primary',
			type: 'submit', text: msg( 'preferences-save' )
		} );

		function chosen() {
			const values = {
				stopped: pages.filter( ( page ) => page.shown.input.checked )
					.map( ( page ) => page.title )
			};
			boxes.forEach( ( each ) => {
				values[ each.name ] = each.shown.input.checked;
			} );
			return values;
		}

		function submitted( event ) {
			event.preventDefault();
			button.disabled = true;
			failed.replaceChildren();
			save( chosen() ).then( ( values ) => {
				saved = values;
				dialog.close();
			}, () => {
				button.disabled = false;
				failed.replaceChildren( h( 'div', {
					class: 'cdx-message cdx-message--inline cdx-message--error',
					text: msg( 'preferences-failed' )
				} ) );
			} );
		}

		dialog.show( h( 'form', { class: 'sidenote-preferences', onsubmit: submitted },
			failed,
			...boxes.map( ( each ) => each.shown.element ),
			pages.length ? h( 'fieldset', { class: 'cdx-field' },
				h( 'legend', { class: 'cdx-label' },
					h( 'span', { class: 'cdx-label__label__text', text: msg( 'preferences-stopped', pages.length ) } ) ),
				...pages.map( ( page ) => page.shown.element ) ) : '',
			h( 'div', { class: 'sidenote-preferences__buttons' },
				h( 'button', {
					class: 'cdx-button', type: 'button', text: msg( 'preferences-cancel' ),
					onclick: () => dialog.close()
				} ),
				button ) ) );
	} );
}

module.exports = { ask: ask };
