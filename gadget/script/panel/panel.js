/*!
 * The panel as a whole: it asks the backend once the reader has agreed, shows the result as one of
 * its states, and carries out the actions on cards.
 */
'use strict';

const compareGroup = require( './compare_group.js' );
const attempts = require( '../actions/attempts.js' );
const { h, replace } = require( '../page/dom.js' );
const filterBar = require( './filters.js' );
const frames = require( './frame.js' );
const highlighting = require( '../article/highlights.js' );
const keys = require( './panel_keys.js' );
const articleAnchors = require( '../article/anchors.js' );
const { msg } = require( '../page/messages.js' );
const noteList = require( './notes.js' );
const panelActions = require( './panel_actions.js' );
const progress = require( './progress.js' );
const states = require( './states.js' );
const errorNotice = require( '../cards/error_notice.js' );
const unchecked = require( '../cards/unchecked.js' );
const { searchedOf } = require( '../cards/updates.js' );
const undoBar = require( './undo.js' );

const SKELETON_AFTER_MS = 150;
const SINGLE = '__one';

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page wiki, title, revision, root
 * @param {Object} given.api
 * @param {Object} given.identity
 * @param {Object} given.actions
 * @param {Object} given.preferences with `doubtful`
 * @param {Object} [given.consent] host, and given() which keeps that the reader agreed;
 *  missing where nothing need be asked
 * @param {Function} [given.settings] lets the reader change them; gives a Promise of the
 *  new ones, or of null
 * @param {boolean} [given.hasReports] whether there is a page where problems are told
 * @return {Object} close(), focusCard( id ), onClose( f )
 */
function open( given ) {
	const { page, api, actions, identity } = given;
	const opener = document.activeElement, closed = [];
	const menu = given.hasReports ? [ 'stop', 'report' ] : [ 'stop' ];
	let notes = null, check = null, isClosed = false, requests = 0;

	const frame = frames.create( {
		mw: given.mw, root: page.root, onClose: close, onHelp: keys.help, onStep: ( by ) => notes && notes.turn( by ),
		onSettings: given.settings ? () => given.settings().then( settled ) : null
	} );
	const undo = undoBar.create( frame.undo );
	const highlights = highlighting.create( {
		freeArea: () => frame.freeArea(),
		onClick: ( id ) => focusCard( id )
	} );
	const filters = filterBar.create( { doubtful: Boolean( given.preferences.doubtful ), onChange: refilter } );

	const act = panelActions.create( {
		actions, frame, undo, refilter, signIn, showStopped,
		notes: () => notes
	} );

	/** Show a state; keep the focus in the panel if the focused element is removed. */
	function show( ...nodes ) {
		const had = frame.element.contains( document.activeElement );
		replace( frame.place, nodes );
		if ( had && !frame.element.contains( document.activeElement ) ) {
			const first = frame.place.querySelector( 'button, [tabindex="0"]' );
			( first && first.closest( '.sidenote-state' ) ? first : frame.element ).focus( { preventScroll: true } );
		}
	}

	function reset() {
		[ notes, check ].forEach( ( each ) => each && each.stop() );
		notes = check = null;
		highlights.show( [] );
		filters.update( [] );
		frame.setPosition( 0, 0 );
		frame.summary.textContent = '';
		replace( frame.filters, filters.element );
		replace( frame.after );
	}

	function close() {
		if ( isClosed ) {
			return;
		}
		isClosed = true;
		reset();
		undo.clear();
		highlights.clear();
		window.removeEventListener( 'online', retryOnline );
		const had = frame.element.contains( document.activeElement ) || document.activeElement === document.body;
		frame.element.remove();
		frame.leaveRoom();
		if ( had && opener && opener.isConnected && opener.focus ) {
			opener.focus( { preventScroll: true } );
		}
		closed.forEach( ( tell ) => tell() );
	}

	function checkControl() {
		check = progress.create( {
			check: actions.check,
			watch: actions.watch,
			signIn: identity.signIn,
			say: frame.say,
			onDone: () => load( msg( 'look-done' ) )
		} );
		return check.element;
	}

	function showFailure( error ) {
		const problem = errorNotice.create();
		reset();
		problem.show( error, { again: () => load(), signIn: () => signIn().then( () => load(), showFailure ) } );
		show( h( 'div', { class: 'sidenote-state' }, problem.element ) );
	}

	function retryOnline() {
		if ( frame.place.querySelector( '.sidenote-trouble > svg' ) ) {
			load();
		}
	}

	function showAfter( answer, compared ) {
		const ways = {
			onEdit: ( each, edit ) => actions.edit( { wiki: page.wiki, title: page.title, made: { revision: page.revision } }, edit ),
			onSupply: actions.supply && ( ( each ) => actions.supply( each.source ) ),
			onShow: ( each ) => showSentence( each.claim )
		};
		replace( frame.after,
			answer.outdated ? h( 'p', { class: 'sidenote-quiet', text: msg( 'outdated', answer.outdated ) } ) : null,
			compareGroup.render( compared, {
				onAction: decide, onShow: ( card ) => showSentence( card.claim ), say: frame.say, menu, canWrite: actions.canWrite
			} ),
			unchecked.render( answer.unchecked, ways ),
			unchecked.render( answer.links || [], Object.assign( {}, ways, { onSupply: null } ), 'links' ),
			searchedOf( answer.searched ),
			answer.cards.length && answer.last_check ? [
				h( 'p', { class: 'sidenote-quiet', text: states.lastCheckWords( answer ) } ),
				answer.is_waiting ? h( 'p', { class: 'sidenote-quiet', text: msg( 'waiting-what' ) } ) : null,
				checkControl()
			] : null );
	}

	/** What a reader does with a claim that they compare: it is in no list of notes. */
	function decide( name, card, detail ) {
		return name === 'compared' ? actions.compared( card, detail ) :
			name === 'undo' ? actions.undo( card.mine.id ) : act( name, card, detail );
	}

	/** Show a sentence that no card is about. */
	function showSentence( claim ) {
		const range = articleAnchors.find( notes ? notes.indexed : articleAnchors.index( page.root ), claim );
		const others = notes ? notes.shown().filter( ( note ) => note.range ).map( ( note ) => ( { id: note.card.id, range: note.range } ) ) : [];
		if ( !range ) {
			frame.say( msg( 'sentence-missing' ) );
			return;
		}
		highlights.show( others.concat( { id: SINGLE, range } ) );
		highlights.focus( SINGLE, true );
	}

	function refilter() {
		const number = notes.filter();
		if ( number ) {
			if ( !notes.list.isConnected ) {
				show( notes.list );
			}
		} else if ( notes.all().every( ( note ) => note.card.mine ) ) {
			show( states.allDone() );
		} else {
			show( states.filteredOut( notes.all().length, filters.reset ) );
		}
		frame.summary.textContent = msg( 'summary', notes.all().filter( ( note ) => !note.card.mine && note.card.is_flagged ).length );
	}

	function showAnswer( whole, announcement ) {
		const { notes: cards, compared } = compareGroup.parted( whole.cards );
		const answer = Object.assign( {}, whole, { cards } );
		reset();
		showAfter( answer, compared );
		if ( answer.cards.length ) {
			notes = noteList.create( {
				answer, root: page.root, frame, filters, highlights, onAction: act, menu, canWrite: actions.canWrite, diffAddress: actions.diffAddress
			} );
			refilter();
		} else {
			show( answer.last_check ? states.empty( answer, checkControl() ) : states.neverChecked( answer.is_waiting, checkControl() ) );
		}
		if ( answer.is_waiting && check ) {
			if ( notes ) {
				frame.filters.prepend( check.element ); // visible, not after the last note
			}
			check.join();
		}
		const words = answer.cards.length ? frame.summary.textContent + ' ' + msg( 'keys-hint' ) :
			frame.place.querySelector( '.sidenote-state__title' ).textContent;
		frame.say( ( announcement ? announcement + ' ' : '' ) + words );
	}

	function load( announcement ) {
		attempts.watch( identity, frame.warned );
		const mine = requests += 1;
		const timer = setTimeout( () => {
			reset();
			show( states.loading() );
			frame.say( msg( 'loading' ) );
		}, SKELETON_AFTER_MS );
		const isOurs = () => {
			clearTimeout( timer );
			return mine === requests && !isClosed;
		};
		api.page( page.wiki, page.title, page.revision ).then(
			( answer ) => isOurs() && showAnswer( answer, announcement ),
			( error ) => isOurs() && showFailure( error )
		);
	}

	function signIn() {
		return Promise.resolve( identity.signIn() );
	}

	/** Load the reader's earlier decisions, now that it is known who they are. */
	function refresh() {
		attempts.watch( identity, frame.warned );
		if ( !notes ) {
			return;
		}
		const before = notes, known = new Map( notes.all().map( ( note ) => [ note.card.id, note.card ] ) );
		api.page( page.wiki, page.title, page.revision ).then( ( answer ) => {
			if ( notes !== before || isClosed ) {
				return;
			}
			answer.cards.forEach( ( card ) => {
				const note = notes.noteOf( card.id );
				// A decision made meanwhile is newer than the answer.
				if ( note && note.card === known.get( card.id ) && Boolean( note.card.mine ) !== Boolean( card.mine ) ) {
					notes.put( card );
				}
			} );
			refilter();
		} ).catch( () => {} ); // what is shown is correct without it
	}

	function showStopped() {
		reset();
		undo.clear();
		show( states.stopped( page.title, () => {
			Promise.resolve( actions.resumeHere() ).then( () => load(), showFailure );
		} ) );
		frame.say( msg( 'stopped' ) );
	}

	/** Apply the reader's new preferences. */
	function settled( values ) {
		if ( !values || isClosed ) {
			return;
		}
		filters.showDoubtful( values.doubtful );
		if ( actions.isStopped() ) {
			showStopped();
		} else if ( notes ) {
			refilter();
		} else {
			load();
		}
	}

	function focusCard( id ) {
		const note = notes && notes.shown().filter( ( each ) => each.card.id === id )[ 0 ];
		if ( note ) {
			notes.focus( note );
		}
	}

	function start() {
		if ( actions.isStopped() ) {
			showStopped();
		} else if ( given.consent ) {
			show( states.consent( given.consent.host, () => {
				given.consent.given();
				load();
			}, close ) );
			frame.place.querySelector( 'button' ).focus();
		} else {
			load();
		}
	}

	keys.listen( frame.element, {
		next: () => notes && notes.step( 1 ),
		previous: () => notes && notes.step( -1 ),
		primary: () => {
			const note = notes && notes.current();
			const main = note && note.element && note.element.querySelector( '.sidenote-primary' );
			if ( main ) {
				main.click();
			}
		},
		undo: undo.press,
		help: keys.help,
		close
	} );
	replace( frame.filters, filters.element );
	filters.update( [] );
	document.body.appendChild( frame.element );
	frame.element.focus( { preventScroll: true } );
	window.addEventListener( 'online', retryOnline );
	identity.onChange( refresh );
	start();

	return { close, focusCard, onClose: ( tell ) => closed.push( tell ) };
}

module.exports = { open };
