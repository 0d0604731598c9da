/**
 * The preferences, and the dialog in which a reader sets them.
 */
'use strict';

const config = require( './config.js' );
const { h, bdi } = require( '../page/dom.js' );
const dialogs = require( '../page/dialog.js' );
const { msg, written } = require( '../page/messages.js' );
const options = require( '../entry/options.js' );

const MODULES = [ 'vue', '@wikimedia/codex' ];

/**
 * @return {Object[]} name, label and help of each choice
 */
function choices() {
	const host = new URL( config.backend, location.href ).host;
	return [
		{
			name: 'badge',
			label: msg( 'preferences-badge' ),
			help: msg( 'preferences-badge-help', host )
		},
		{
			name: 'diffs',
			label: msg( 'preferences-diffs' ),
			help: msg( 'preferences-diffs-help', host )
		},
		{
			name: 'doubtful',
			label: msg( 'preferences-doubtful' ),
			help: msg( 'preferences-doubtful-help' )
		}
	];
}

/**
 * In a Codex dialog. Written with render functions, because templates would be compiled in the
 * browser, which a strict content security policy forbids.
 *
 * @param {Object} vue the module
 * @param {Object} codex the module
 * @param {Object} before what is chosen now
 * @param {Function} save keeps values; gives a promise
 * @return {Promise<Object|null>}
 */
function askInCodex( vue, codex, before, save ) {
	return new Promise( ( resolve ) => {
		const place = document.body.appendChild( document.createElement( 'div' ) );
		const opener = document.activeElement;
		const make = vue.h;
		const app = vue.createMwApp( {
			data: () => ( {
				open: true,
				busy: false,
				failed: false,
				values: { badge: before.badge, diffs: before.diffs, doubtful: before.doubtful },
				stopped: before.stopped.slice()
			} ),
			methods: {
				end( saved ) {
					this.open = false;
					app.unmount();
					place.remove();
					if ( opener && opener.isConnected ) {
						opener.focus();
					}
					resolve( saved );
				},
				save() {
					this.busy = true;
					this.failed = false;
					save( Object.assign( {}, this.values, { stopped: this.stopped.slice() } ) ).then(
						( saved ) => this.end( saved ),
						() => {
							this.busy = false;
							this.failed = true;
						}
					);
				},
				box( choice ) {
					return make( codex.CdxCheckbox, {
						key: choice.name,
						modelValue: this.values[ choice.name ],
						'onUpdate:modelValue': ( is ) => {
							this.values[ choice.name ] = is;
						}
					}, { default: () => choice.label, description: () => choice.help } );
				},
				stoppedBox( title ) {
					return make( codex.CdxCheckbox, {
						key: 'stopped:' + title,
						modelValue: this.stopped.indexOf( title ) !== -1,
						'onUpdate:modelValue': ( is ) => {
							this.stopped = this.stopped.filter( ( each ) => each !== title ).concat( is ? title : [] );
						}
					}, { default: () => make( 'bdi', title ) } );
				}
			},
			render() {
				const pages = before.stopped;
				return make( codex.CdxDialog, {
					open: this.open,
					title: msg( 'preferences-title' ),
					useCloseButton: true,
					closeButtonLabel: msg( 'preferences-close' ),
					primaryAction: {
						label: msg( 'preferences-save' ),
						actionType: 'progressive',
						disabled: this.busy
					},
					defaultAction: { label: msg( 'preferences-cancel' ) },
					class: 'sidenote-preferences',
					lang: written().lang,
					dir: written().dir,
					'onUpdate:open': ( is ) => is || this.end( null ),
					onPrimary: this.save,
					onDefault: () => this.end( null )
				}, {
					default: () => [
						this.failed ? make( codex.CdxMessage, { type: 'error', inline: true, role: 'alert' },
							{ default: () => msg( 'preferences-failed' ) } ) : null,
						choices().map( this.box ),
						pages.length ? make( codex.CdxField, { isFieldset: true }, {
							label: () => msg( 'preferences-stopped', pages.length ),
							default: () => pages.map( this.stoppedBox )
						} ) : null
					]
				} );
			}
		} );
		app.mount( place );
	} );
}

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
 * In a native browser dialog, without Vue.
 *
 * @param {Object} before what is chosen now
 * @param {Function} save keeps values; gives a promise
 * @return {Promise<Object|null>}
 */
function askInForm( before, save ) {
	return new Promise( ( resolve ) => {
		let saved = null;
		const dialog = dialogs.open( {
			title: msg( 'preferences-title' ), onClose: () => resolve( saved )
		} );
		const boxes = choices().map( ( choice ) => ( {
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

function hasCodex( mw ) {
	return MODULES.every( ( name ) => mw.loader.getState( name ) !== null );
}

/**
 * Let the reader set their preferences: in a Codex dialog on a wiki, or in a native browser dialog
 * without Vue.
 *
 * @param {Object} mw
 * @return {Promise<Object|null>} what they saved; null if they left it as it was
 */
function dialog( mw ) {
	return ask( mw ).then( ( saved ) => {
		if ( saved ) {
			mw.notify( msg( 'preferences-saved' ), { type: 'success', tag: 'sidenote' } );
		}
		return saved;
	} );
}

function ask( mw ) {
	const before = options.load( mw );
	const save = ( values ) => options.save( mw, values );
	if ( !hasCodex( mw ) ) {
		return askInForm( before, save );
	}
	return Promise.resolve( mw.loader.using( MODULES ) ).then(
		( require ) => askInCodex( require( 'vue' ), require( '@wikimedia/codex' ), before, save ),
		() => askInForm( before, save )
	);
}

module.exports = { load: options.load, save: options.save, dialog: dialog };
