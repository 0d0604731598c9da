/**
 * The preferences in a Codex dialog. Written with render functions, because templates would be
 * compiled in the browser, which a strict content security policy forbids.
 */
'use strict';

const choosing = require( './preferences_choices.js' );
const { msg, written } = require( '../page/messages.js' );

/**
 * @param {Object} vue the module
 * @param {Object} codex the module
 * @param {Object} before what is chosen now
 * @param {Function} save keeps values; gives a promise
 * @return {Promise<Object|null>}
 */
function ask( vue, codex, before, save ) {
	return new Promise( ( resolve ) => {
		const place = document.body.appendChild( document.createElement( 'div' ) );
		const opener = document.activeElement;
		const h = vue.h;
		const app = vue.createMwApp( {
			data: () => ( {
				open: true,
				busy: false,
				failed: false,
				values: { badge: before.badge, doubtful: before.doubtful },
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
					return h( codex.CdxCheckbox, {
						key: choice.name,
						modelValue: this.values[ choice.name ],
						'onUpdate:modelValue': ( is ) => {
							this.values[ choice.name ] = is;
						}
					}, { default: () => choice.label, description: () => choice.help } );
				},
				stoppedBox( title ) {
					return h( codex.CdxCheckbox, {
						key: 'stopped:' + title,
						modelValue: this.stopped.indexOf( title ) !== -1,
						'onUpdate:modelValue': ( is ) => {
							this.stopped = this.stopped.filter( ( each ) => each !== title ).concat( is ? title : [] );
						}
					}, { default: () => h( 'bdi', title ) } );
				}
			},
			render() {
				const pages = before.stopped;
				return h( codex.CdxDialog, {
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
						this.failed ? h( codex.CdxMessage, { type: 'error', inline: true, role: 'alert' },
							{ default: () => msg( 'preferences-failed' ) } ) : null,
						choosing.choices().map( this.box ),
						pages.length ? h( codex.CdxField, { isFieldset: true }, {
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

module.exports = { ask: ask };
