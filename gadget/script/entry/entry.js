/**
 * The entry point: a link on every article that opens the notes. It sends no request before it is
 * used, unless the reader wants the number of notes beside it, or what every diff did to its sources.
 */
'use strict';

const badge = require( './badge.js' );
const diffPage = require( './diff_page.js' );
const messages = require( '../page/messages.js' );
const options = require( './options.js' );
const { here } = require( './current_page.js' );
const { mark, markVisual } = require( './change_tag.js' );

const ID = 'ca-sidenote';
const ACCESS_KEY = 'a'; // unused by MediaWiki and its usual extensions
const QUEUE = /\/sidenote$/i;
// Next to the article's own tabs, wherever a skin has them.
const PORTLETS = {
	minerva: 'p-associated-pages',
	monobook: 'p-cactions',
	timeless: 'p-namespaces',
	vector: 'p-namespaces',
	'vector-2022': 'p-associated-pages'
};
const ELSEWHERE = [ 'p-namespaces', 'p-associated-pages', 'p-cactions', 'p-tb' ];
const state = { link: null, page: null, panel: null, isOpening: false, diffs: null };

function addLink() {
	const wanted = [ PORTLETS[ mw.config.get( 'skin' ) ] ].concat( ELSEWHERE )
		.filter( ( id ) => id && document.getElementById( id ) )[ 0 ];
	const item = wanted && mw.util.addPortletLink(
		wanted, '#', messages.msg( 'entry' ), ID, messages.msg( 'entry-tooltip' ), ACCESS_KEY
	);
	return item ? item.querySelector( 'a' ) : null;
}

function loadPanel() {
	return Promise.resolve( mw.loader.using( 'ext.gadget.sidenote-panel' ) )
		.then( ( require ) => require( 'ext.gadget.sidenote-panel' ) );
}

function setOpen( panel ) {
	state.panel = panel;
	state.link.setAttribute( 'aria-expanded', String( !!panel ) );
}

function open() {
	if ( state.isOpening ) {
		return;
	}
	if ( state.panel ) {
		state.panel.close();
		return;
	}
	state.isOpening = true;
	state.link.setAttribute( 'aria-busy', 'true' );
	loadPanel().then( ( gadget ) => gadget.open( {
		mw: mw, page: state.page
	} ) ).then( ( panel ) => {
		setOpen( panel );
		panel.onClose( () => setOpen( null ) );
		state.diffs.show();
	} ).catch( ( error ) => {
		mw.log.error( error );
		mw.notify( messages.msg( 'entry-failed' ), { type: 'error', tag: 'sidenote' } );
	} ).then( () => {
		state.isOpening = false;
		state.link.removeAttribute( 'aria-busy' );
	} );
}

function showCount() {
	const chosen = options.load( mw );
	if ( !chosen.badge || chosen.stopped.indexOf( state.page.title ) !== -1 ) {
		return;
	}
	mw.requestIdleCallback( () => {
		badge.count( state.page ).then( ( notes ) => {
			if ( notes !== null ) {
				badge.show( state.link, notes );
			}
		} );
	} );
}

// The page is rendered again after an in-place edit; nothing is done twice.
function arrived() {
	const page = here( mw );
	if ( !page || ( state.page && state.page.root === page.root ) ) {
		return;
	}
	const wasOpen = state.panel;
	state.page = page;
	if ( wasOpen ) {
		wasOpen.close();
		open();
	}
	if ( state.link && state.link.isConnected ) {
		return;
	}
	state.link = addLink();
	if ( state.link ) {
		state.link.setAttribute( 'role', 'button' );
		state.link.setAttribute( 'aria-expanded', 'false' );
		state.link.addEventListener( 'click', ( event ) => {
			event.preventDefault();
			open();
		} );
		state.link.addEventListener( 'keydown', ( event ) => {
			if ( event.key === ' ' ) {
				event.preventDefault();
				open();
			}
		} );
		showCount();
	}
}

/** Show the notes in the visual editor, too, once its code is loaded. */
function joinEditor( addPlugin ) {
	addPlugin( () => state.page ? loadPanel().then(
		( gadget ) => gadget.editor( { mw: mw, page: state.page } )
	).catch( mw.log.error ) : null );
}

function openQueue() {
	const root = document.getElementById( 'mw-content-text' );
	const heading = document.getElementById( 'firstHeading' );
	const title = messages.msg( 'queue-title' );
	document.title = document.title.replace( heading.textContent, title );
	heading.textContent = title;
	loadPanel().then( ( gadget ) => gadget.queue( { mw: mw, root: root } ) ).catch( ( error ) => {
		mw.log.error( error );
		root.textContent = messages.msg( 'entry-failed' );
	} );
}

function start() {
	messages.load();
	const isBlank = mw.config.get( 'wgCanonicalSpecialPageName' ) === 'Blankpage';
	if ( isBlank && QUEUE.test( mw.config.get( 'wgPageName' ) ) ) {
		openQueue();
	} else {
		mark( mw );
		markVisual( mw );
		mw.hook( 'wikipage.content' ).add( arrived );
		mw.hook( 've.loadModules' ).add( joinEditor );
		state.diffs = diffPage.watch( mw, loadPanel );
	}
}

start();

module.exports = { ID: ID };
