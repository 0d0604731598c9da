/*!
 * A sign-in by an edit, for wikis without OAuth: whoever can save a given text to a subpage of a
 * user page is that user. It is saved only after it was explained and the reader asked for it, in
 * their own session; elsewhere they save it by hand.
 */
'use strict';

const attempts = require( './attempts.js' );
const { h, outward } = require( '../page/dom.js' );
const { Failure } = require( './failing.js' );
const { msg } = require( '../page/messages.js' );
const { wikiAddress } = require( './wiki_address.js' );

/**
 * @param {Object} mw
 * @param {Object} begun page, text and summary
 * @return {Promise}
 */
function save( mw, begun ) {
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
			const said = errors.length && errors[ 0 ].text || String( code );
			reject( new Failure( 'refused', { code: String( code ), text: said } ) );
		} );
	} );
}

function box( text, name ) {
	return h( 'pre', { class: 'sidenote-dialog__text', dir: 'ltr', tabindex: '0', text, 'aria-label': name } );
}

function given( wiki, begun, user ) {
	return [
		h( 'p', { text: msg( 'proof-asked', user, attempts.words( begun ) ) } ),
		h( 'p', {},
			msg( 'proof-page' ) + ' ',
			outward(
				wikiAddress( wiki, { title: begun.page, action: 'edit', summary: begun.summary } ),
				{ text: begun.page }
			) ),
		box( begun.text, msg( 'proof-text' ) ),
		h( 'p', { text: msg( 'proof-summary' ) } ),
		box( begun.summary, msg( 'proof-summary' ) ),
		h( 'p', { text: msg( 'proof-only-yours' ) } )
	];
}

/**
 * @param {Object} flow what the dialog offers: see signing.js
 * @return {Promise}
 */
function show( flow ) {
	const { mw, wiki } = flow;

	function prove( begun ) {
		flow.show( flow.waiting( msg( 'proof-checking' ) ), flow.buttons( flow.cancel() ) );
		flow.finish( begun );
	}

	function byHand( begun, user ) {
		flow.show(
			flow.line( msg( 'proof-by-hand' ) ), ...given( wiki, begun, user ), flow.line( msg( 'sign-in-kept' ) ),
			flow.buttons( flow.button( msg( 'proof-saved' ), true, () => prove( begun ) ), flow.cancel() )
		);
	}

	function onWiki( begun, user ) {
		const saveIt = flow.button( msg( 'proof-save' ), true, () => {
			flow.show( flow.waiting( msg( 'proof-saving' ) ), flow.buttons( flow.cancel() ) );
			save( mw, begun ).then( () => prove( begun ) ).catch( flow.failed );
		} );
		flow.show(
			flow.line( msg( 'proof-explained', wiki ) ), ...given( wiki, begun, user ), flow.line( msg( 'sign-in-kept' ) ),
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

module.exports = { show };
