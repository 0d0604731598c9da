/*!
 * The dialog in which a reader signs in: it first says what will happen, then waits. By OAuth in
 * the wiki's own window, or, if a wiki has none, by an edit to one of the reader's own pages, which
 * they save themselves.
 *
 * That edit saves a given text to a subpage of the user page, which nobody else can do. It is saved
 * only after it was explained and the reader asked for it, in their own session; elsewhere they save
 * it by hand. The secret of a sign-in does not leave this browser before the sign-in is done; the
 * backend gets its digest first, so that nobody else can fetch the token.
 */
'use strict';

const attempts = require( './attempts.js' );
const dialog = require( '../page/dialog.js' );
const dom = require( '../page/dom.js' );
const { Failure, explain } = require( './failure.js' );
const { msg } = require( '../page/messages.js' );

const { h } = dom;
const POLL_MS = 1500;
const WINDOW = 'popup,width=640,height=720';
const FINAL = [ 'refused', 'unknown', 'signed-out' ];
const SECRET_BYTES = 32;
const SHOWN_DIGITS = 16;

const line = ( text ) => h( 'p', { text } );

function button( text, isPrimary, onclick ) {
	return dom.button( { text, kind: isPrimary ? 'primary' : null, props: { onclick } } );
}

function waiting( text ) {
	return h( 'p', { class: 'sidenote-dialog__waiting', role: 'status', text } );
}

function hex( bytes ) {
	return Array.from( bytes, ( byte ) => byte.toString( 16 ).padStart( 2, '0' ) ).join( '' );
}

/**
 * @return {Promise<Object>} secret and its sha256, both in hexadecimal digits
 */
function makeSecret() {
	const digest = window.crypto && window.crypto.subtle;
	if ( !digest ) {
		// Browsers offer no digests on unencrypted pages.
		return Promise.reject( new Failure( 'refused', { code: 'not-secure' } ) );
	}
	const secret = hex( window.crypto.getRandomValues( new Uint8Array( SECRET_BYTES ) ) );
	return digest.digest( 'SHA-256', new TextEncoder().encode( secret ) )
		.then( ( sum ) => ( { secret, sha256: hex( new Uint8Array( sum ) ) } ) );
}

/**
 * @param {string} text that is to be saved in public
 * @param {string} sha256
 * @return {boolean} whether it is for the secret of that digest, and so for this browser
 */
function isFor( text, sha256 ) {
	return typeof text === 'string' && text.includes( sha256.slice( 0, SHOWN_DIGITS ) );
}

/**
 * Ask repeatedly whether the backend knows who the reader is.
 *
 * @param {Object} api
 * @param {Object} begun what the backend said to the beginning, and the secret
 * @param {Function} isOver tells that nobody waits any more
 * @return {Promise<Object|null>} null where nobody waits any more
 */
function finished( api, begun, isOver ) {
	return new Promise( ( resolve, reject ) => {
		function ask() {
			if ( isOver() ) {
				resolve( null );
			} else if ( Date.parse( begun.expires_at ) <= Date.now() ) {
				reject( new Failure( 'refused', { code: 'expired', text: msg( 'sign-in-expired' ) } ) );
			} else {
				api.finishSignIn( begun.state, begun.secret ).then( ( answer ) => {
					if ( answer && answer.token ) {
						resolve( answer );
					} else {
						setTimeout( ask, POLL_MS );
					}
				} ).catch( ( failure ) => {
					if ( FINAL.includes( failure.kind ) ) {
						reject( failure );
					} else {
						setTimeout( ask, Math.max( POLL_MS, 1000 * ( failure.retryInS || 0 ) ) );
					}
				} );
			}
		}
		ask();
	} );
}

/**
 * @param {Object} mw
 * @param {Object} begun page, text and summary
 * @return {Promise}
 */
function saveProof( mw, begun ) {
	return new Promise( ( resolve, reject ) => {
		new mw.Api().postWithToken( 'csrf', {
			action: 'edit', title: begun.page, text: begun.text, summary: begun.summary,
			assert: 'user', formatversion: 2, errorformat: 'plaintext'
		} ).then( ( answer ) => {
			if ( answer && answer.edit && answer.edit.result === 'Success' ) {
				resolve();
			} else {
				reject( new Failure( 'refused', { text: msg( 'proof-not-saved' ) } ) );
			}
		}, ( code, answer ) => {
			const errors = answer && answer.errors || [];
			const error = errors.length && errors[ 0 ].text || String( code );
			reject( new Failure( 'refused', { code: String( code ), text: error } ) );
		} );
	} );
}

function box( text, name ) {
	return h( 'pre', { class: 'sidenote-dialog__text', dir: 'auto', tabindex: '0', text, 'aria-label': name } );
}

function proofOf( wiki, begun, user ) {
	return [
		h( 'p', { text: msg( 'proof-asked', user, attempts.words( begun ) ) } ),
		h( 'p', {},
			msg( 'proof-page' ) + ' ',
			dom.outward(
				dom.wikiAddress( wiki, { title: begun.page, action: 'edit', summary: begun.summary } ),
				{ text: begun.page }
			) ),
		box( begun.text, msg( 'proof-text' ) ),
		h( 'p', { text: msg( 'proof-summary' ) } ),
		box( begun.summary, msg( 'proof-summary' ) ),
		h( 'p', { text: msg( 'proof-only-yours' ) } )
	];
}

/**
 * @param {Object} flow what the dialog offers: see `open`
 * @return {Promise}
 */
function showProof( flow ) {
	const { mw, wiki } = flow;

	function prove( begun ) {
		flow.show( flow.waiting( msg( 'proof-checking' ) ), flow.buttons( flow.cancel() ) );
		flow.finish( begun );
	}

	function byHand( begun, user ) {
		flow.show(
			flow.line( msg( 'proof-by-hand' ) ), ...proofOf( wiki, begun, user ), flow.line( msg( 'sign-in-kept' ) ),
			flow.buttons( flow.button( msg( 'proof-saved' ), true, () => prove( begun ) ), flow.cancel() )
		);
	}

	function onWiki( begun, user ) {
		const saveIt = flow.button( msg( 'proof-save' ), true, () => {
			flow.show( flow.waiting( msg( 'proof-saving' ) ), flow.buttons( flow.cancel() ) );
			saveProof( mw, begun ).then( () => prove( begun ) ).catch( flow.failed );
		} );
		flow.show(
			flow.line( msg( 'proof-explained', wiki ) ), ...proofOf( wiki, begun, user ), flow.line( msg( 'sign-in-kept' ) ),
			flow.buttons( saveIt, flow.cancel() )
		);
	}

	function askForName() {
		const field = h( 'input', { class: 'cdx-text-input__input', type: 'text', dir: 'auto' } );
		field.autocomplete = 'username';
		field.required = true;
		const go = () => {
			const user = field.value.trim();
			if ( user ) {
				flow.begin( user ).then( ( begun ) => byHand( begun, user ) ).catch( flow.failed );
			} else {
				field.focus();
			}
		};
		field.addEventListener( 'keydown', ( event ) => event.key === 'Enter' && go() );
		flow.show(
			flow.line( msg( 'proof-name-why', wiki ) ),
			h( 'p', {}, h( 'label', {}, msg( 'proof-name', wiki ), ' ', field ) ),
			flow.buttons( flow.button( msg( 'sign-in-continue' ), true, go ), flow.cancel() )
		);
		field.focus();
	}

	if ( mw.config.get( 'skin' ) === 'sidenote-local' ) {
		askForName();
		return Promise.resolve();
	}
	if ( mw.user.isNamed ? !mw.user.isNamed() : mw.user.isAnon() ) {
		flow.show(
			flow.line( msg( 'proof-log-in', wiki ) ),
			h( 'p', {}, h( 'a', {
				href: new URL( mw.util.getUrl( 'Special:UserLogin', {
					returnto: mw.config.get( 'wgPageName' )
				} ), location.href ).href,
				text: msg( 'proof-log-in-link', wiki )
			} ) ),
			flow.buttons( flow.cancel() )
		);
		return Promise.resolve();
	}
	const user = mw.user.getName();
	return flow.begin( user ).then( ( begun ) => onWiki( begun, user ) );
}

/**
 * @param {Object} given api, mw, and the wiki as the backend knows it
 * @return {Promise<Object>} token, user and expires_at; rejected with the code `cancelled`
 *  where the reader closed the dialog
 */
function open( given ) {
	const { api, mw, wiki } = given;
	return new Promise( ( resolve, reject ) => {
		let isOver = false;
		const view = dialog.open( {
			title: msg( 'sign-in-title' ),
			onClose() {
				isOver = true;
				reject( new Failure( 'signed-out', { code: 'cancelled' } ) );
			}
		} );
		const show = ( ...nodes ) => isOver || view.show( ...nodes );
		const buttons = ( ...nodes ) => h( 'div', { class: 'sidenote-dialog__buttons' }, ...nodes );
		const cancel = () => button( msg( 'sign-in-cancel' ), false, () => view.close() );

		function failed( failure ) {
			const text = failure.code === 'not-secure' ? msg( 'sign-in-not-secure' ) : explain( failure );
			show(
				h( 'p', { class: 'sidenote-dialog__error', role: 'alert', text } ),
				buttons( button( msg( 'try-again' ), true, start ), cancel() )
			);
		}

		function begin( way, user ) {
			return makeSecret().then( ( made ) => {
				const body = { wiki, way, secret_sha256: made.sha256 };
				if ( user ) {
					body.user = user;
				}
				return api.beginSignIn( body )
					.then( ( begun ) => {
						// A text requested by another script would sign in whoever has that script.
						if ( way === 'proof' && !( isFor( begun.text, made.sha256 ) &&
							isFor( begun.summary, made.sha256 ) ) ) {
							throw new Failure( 'refused', { text: msg( 'proof-not-yours' ) } );
						}
						return Object.assign( { secret: made.secret }, begun );
					} );
			} );
		}

		function done( signed ) {
			const others = signed.others || [];
			if ( !others.length ) {
				view.close();
				return;
			}
			show(
				attempts.warning( 'attempts-ended', others, signed.user ),
				buttons( button( msg( 'sign-in-continue' ), true, () => view.close() ) )
			);
		}

		function finish( begun ) {
			finished( api, begun, () => isOver ).then( ( signed ) => {
				if ( signed && !isOver ) {
					// The sign-in is complete: closing no longer cancels it.
					resolve( signed );
					done( signed );
				}
			} ).catch( failed );
		}

		function waitForWindow( begun, isBlocked ) {
			show(
				waiting( isBlocked ? msg( 'sign-in-blocked' ) : msg( 'sign-in-waiting', wiki ) ),
				h( 'p', {}, dom.outward( begun.authorize_url, { text: msg( 'sign-in-open', wiki ) } ) ),
				buttons( cancel() )
			);
			finish( begun );
		}

		function byOauth( begun ) {
			show(
				line( msg( 'sign-in-oauth', wiki ) ),
				line( msg( 'sign-in-kept' ) ),
				buttons( button( msg( 'sign-in-continue' ), true, () => {
					// Opened empty within the click, so that no browser blocks it as a pop-up.
					const other = window.open( '', 'sidenote-sign-in', WINDOW );
					const address = dom.webAddress( begun.authorize_url );
					if ( other && address ) {
						other.opener = null;
						other.location.replace( address );
					}
					waitForWindow( begun, !other );
				} ), cancel() )
			);
		}

		function start() {
			show( waiting( msg( 'sign-in-asking', wiki ) ), buttons( cancel() ) );
			api.ways( wiki ).then( ( answer ) => {
				const ways = answer.ways || [];
				if ( ways.includes( 'oauth' ) ) {
					return begin( 'oauth' ).then( byOauth );
				}
				if ( ways.includes( 'proof' ) ) {
					return showProof( {
						mw, wiki, show, line, buttons, button, cancel, failed, finish, waiting,
						begin: ( user ) => begin( 'proof', user )
					} );
				}
				throw new Failure( 'refused', { text: msg( 'sign-in-no-way', wiki ) } );
			} ).catch( failed );
		}

		start();
	} );
}

module.exports = { open };
