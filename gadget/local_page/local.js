/*!
 * Starts the panel, or the queue, on a page outside a wiki. Where a wiki would open the edit form
 * with the change filled in, this shows the change itself.
 */
'use strict';

const actions = require( '../script/actions/actions.js' );
const api = require( '../script/actions/api.js' );
const dialog = require( '../script/page/dialog.js' );
const { h } = require( '../script/page/dom.js' );
const identity = require( '../script/actions/identity.js' );
const { load, msg } = require( '../script/page/messages.js' );
const options = require( '../script/entry/options.js' );
const panel = require( '../script/panel/panel.js' );
const queue = require( '../script/queue/queue.js' );

const A_DAY_MS = 86400000;

/**
 * Use the token of the reader at this machine, whom no wiki knows.
 *
 * @param {Object} mw
 */
function takeToken( mw ) {
	const token = mw.config.get( 'sidenoteToken' );
	if ( token ) {
		mw.storage.set( 'sidenote-token', JSON.stringify( {
			token,
			user: mw.config.get( 'sidenoteUser' ),
			expires_at: new Date( Date.now() + A_DAY_MS ).toISOString()
		} ) );
	}
}

function change( label, ...parts ) {
	return [
		h( 'h3', { text: label } ),
		h( 'pre', { class: 'local-change', dir: 'auto', tabindex: '0', role: 'group', 'aria-label': label }, ...parts )
	];
}

/**
 * Show the change that an edit would make.
 *
 * @param {Object} card
 * @param {Object} edit
 * @return {Promise}
 */
function showChange( card, edit ) {
	const view = dialog.open( { title: msg( 'local-diff-title' ) } );
	view.show( ...[ h( 'p', { text: msg( 'local-diff-lede' ) } ) ].concat(
		change( msg( 'local-diff-before' ), '…', edit.before, h( 'del', { text: edit.old } ), edit.after, '…' ),
		change( msg( 'local-diff-after' ), '…', edit.before, h( 'ins', { text: edit.new } ), edit.after, '…' )
	) );
	return Promise.resolve( { result: 'shown' } );
}

function parts( mw, page ) {
	const made = {};
	made.api = api.create( { address: '', token: () => made.identity.token() } );
	made.identity = identity.create( { api: made.api, mw, wiki: page && page.wiki } );
	made.actions = Object.assign(
		actions.create( { mw, api: made.api, identity: made.identity, page } ),
		{ edit: showChange, canWrite: false }
	);
	return made;
}

function openPanel( mw, opener ) {
	const page = {
		wiki: mw.config.get( 'wgServerName' ),
		title: mw.config.get( 'wgTitle' ),
		revision: mw.config.get( 'wgRevisionId' ) || null,
		root: document.querySelector( '.mw-parser-output' )
	};
	const opened = panel.open( Object.assign(
		parts( mw, page ), { mw, page, preferences: options.load( mw ) }
	) );
	opener.setAttribute( 'aria-expanded', 'true' );
	opened.onClose( () => {
		opener.setAttribute( 'aria-expanded', 'false' );
		opener.focus();
	} );
	return opened;
}

function start( mw ) {
	load();
	takeToken( mw );
	const place = document.getElementById( 'local-queue' );
	if ( place ) {
		queue.open( Object.assign( parts( mw, null ), { mw, root: place } ) );
		return;
	}
	const opener = document.getElementById( 'local-open' );
	let opened = null;
	opener.setAttribute( 'aria-expanded', 'false' );
	opener.addEventListener( 'click', () => {
		if ( opened ) {
			opened.close();
			return;
		}
		opened = openPanel( mw, opener );
		opened.onClose( () => {
			opened = null;
		} );
	} );
	opener.disabled = false;
}

start( window.mw );

module.exports = {};
