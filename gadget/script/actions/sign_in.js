/*!
 * The dialog in which a reader signs in: it first says what will happen, then waits. By OAuth in
 * the wiki's own window, or, if a wiki has none and its operator allows it, by an edit to one of the
 * reader's own pages.
 *
 * That edit adds one line to a subpage of the user page, which nobody else can do. It is saved only
 * after it was explained and the reader asked for it, in their own session. The notes server is not
 * trusted with any of it: the page is named here, nothing on it is overwritten, and a line or summary
 * that is not of the known form, for this reader and this browser, is not saved. The secret of a
 * sign-in does not leave this browser before the sign-in is done; the backend gets its digest first,
 * so that nobody else can fetch the token.
 */
'use strict';

const { pageOf, WIKITEXT } = require( './article_page.js' );
const attempts = require( './attempts.js' );
const dialog = require( '../page/dialog.js' );
const dom = require( '../page/dom.js' );
const { Failure, explain } = require( './failure.js' );
const { isWritten, msg } = require( '../page/messages.js' );

const { h } = dom;
const POLL_MS = 1500;
const WINDOW = 'popup,width=640,height=720';
const FINAL = [ 'refused', 'unknown', 'signed-out' ];
const SECRET_BYTES = 32;
const SHOWN_DIGITS = 16;
const USER = 2; // the namespace
const SUBPAGE = 'Sidenote sign-in';
const MOMENT = /\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC)?/;
const CODE = /[0-9a-f]{32}/;
const AUTHORIZE = /\/rest\.php\/oauth2\/authorize$/;

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
 * @param {Object} begun text and summary that are to be saved in public
 * @param {string} wiki
 * @param {string} user
 * @param {string} sha256
 * @return {boolean} whether they say nothing but that this user of this wiki signs in with the secret
 *  of that digest, and so in this browser
 */
function isKnown( begun, wiki, user, sha256 ) {
	const attempt = sha256.slice( 0, SHOWN_DIGITS );
	return isWritten( 'proof-line', begun.text, [ user, wiki, MOMENT, attempt, CODE ] ) &&
		// The edit form's own summary has one line: what has two came from a script, and not from a link.
		isWritten( 'proof-line-summary', begun.summary, [ MOMENT, attempt, new RegExp( '\n' + CODE.source ) ] );
}

/**
 * @param {Object} mw
 * @return {string} the page on which this reader, and nobody else, proves who they are
 */
function proofPage( mw ) {
	return mw.config.get( 'wgFormattedNamespaces' )[ USER ] + ':' + mw.user.getName() + '/' + SUBPAGE;
}

/**
 * @param {string} address that the notes server sends the reader to
 * @param {string} wiki
 * @return {string|null} it, if it is where that wiki asks whether an application may know their name
 */
function authorizeAddress( address, wiki ) {
	const safe = dom.webAddress( address ), own = dom.wikiAddress( wiki, {} );
	if ( !safe || !own ) {
		return null;
	}
	const url = new URL( safe );
	return url.origin === new URL( own ).origin && AUTHORIZE.test( url.pathname ) ? safe : null;
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
 * Add the line to the reader's own page, or make the page with it. Nothing there is overwritten.
 *
 * @param {Object} mw
 * @param {Object} begun text and summary
 * @return {Promise}
 */
function saveProof( mw, begun ) {
	const title = proofPage( mw );
	return pageOf( mw, title ).then( ( page ) => {
		if ( !page || !page.missing && ( page.redirect || page.contentmodel !== WIKITEXT ) ) {
			throw new Failure( 'refused', { text: msg( 'proof-not-saved' ) } );
		}
		return post( mw, Object.assign( {
			action: 'edit', title, summary: begun.summary, contentmodel: WIKITEXT,
			assert: 'user', assertuser: mw.user.getName(), formatversion: 2, errorformat: 'plaintext'
		}, page.missing ? { text: begun.text, createonly: true } : { appendtext: '\n\n' + begun.text, nocreate: true } ) );
	} );
}

function post( mw, edit ) {
	return new Promise( ( resolve, reject ) => {
		new mw.Api().postWithToken( 'csrf', edit ).then( ( answer ) => {
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

function proofOf( page, begun, user ) {
	return [
		h( 'p', { text: msg( 'proof-asked', user, attempts.words( begun ) ) } ),
		h( 'p', {}, msg( 'proof-page' ) + ' ', dom.bdi( page ) ),
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

	function onWiki( begun, user ) {
		const saveIt = flow.button( msg( 'proof-save' ), true, () => {
			flow.show( flow.waiting( msg( 'proof-saving' ) ), flow.buttons( flow.cancel() ) );
			saveProof( mw, begun ).then( () => prove( begun ) ).catch( flow.failed );
		} );
		flow.show(
			flow.line( msg( 'proof-explained', wiki ) ), ...proofOf( proofPage( mw ), begun, user ), flow.line( msg( 'sign-in-kept' ) ),
			flow.buttons( saveIt, flow.cancel() )
		);
	}

	if ( mw.config.get( 'skin' ) === 'sidenote-local' ) {
		// Only a page of the wiki can act in the reader's session there.
		flow.show(
			h( 'p', {}, dom.outward(
				dom.wikiAddress( wiki, { title: 'Special:BlankPage/sidenote' } ), { text: msg( 'proof-on-wiki', wiki ) }
			) ),
			flow.buttons( flow.cancel() )
		);
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
						if ( way === 'proof' && !isKnown( begun, wiki, user, made.sha256 ) ) {
							throw new Failure( 'refused', { text: msg( 'proof-not-yours' ) } );
						}
						if ( way === 'oauth' && !authorizeAddress( begun.authorize_url, wiki ) ) {
							throw new Failure( 'refused', { text: msg( 'sign-in-not-wiki', wiki ) } );
						}
						return Object.assign( {}, begun, { secret: made.secret } );
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
					if ( other ) {
						other.opener = null;
						other.location.replace( begun.authorize_url );
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
