/*!
 * The dialog in which a reader signs in: it first says what will happen, then waits. By OAuth in
 * the wiki's own window, or, if a wiki has none, by an edit to one of the reader's own pages, which
 * they save themselves.
 */
'use strict';

const attempts = require( './attempts.js' );
const dom = require( '../page/dom.js' );
const dialog = require( '../page/dialog.js' );
const { Failure, explain } = require( './failing.js' );
const { msg } = require( '../page/messages.js' );
const proving = require( './proving.js' );
const secrets = require( './secrets.js' );

const { h } = dom;
const POLL_MS = 1500;
const WINDOW = 'popup,width=640,height=720';
const FINAL = [ 'refused', 'unknown', 'signed-out' ];

const line = ( text ) => h( 'p', { text } );

function button( text, isPrimary, onclick ) {
	return dom.button( { text, kind: isPrimary ? 'primary' : null, props: { onclick } } );
}

function waiting( text ) {
	return h( 'p', { class: 'sidenote-dialog__waiting', role: 'status', text } );
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
			return secrets.make().then( ( made ) => {
				const body = { wiki, way, secret_sha256: made.sha256 };
				if ( user ) {
					body.user = user;
				}
				return api.beginSignIn( body )
					.then( ( begun ) => {
						// A text requested by another script would sign in whoever has that script.
						if ( way === 'proof' && !( secrets.isFor( begun.text, made.sha256 ) &&
							secrets.isFor( begun.summary, made.sha256 ) ) ) {
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
					return proving.show( {
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
