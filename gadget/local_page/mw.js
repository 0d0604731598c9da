/*
 * A stand-in for MediaWiki's `mw`, for pages outside a wiki: the local page of `sidenote run`, the
 * backend's own pages and tests. It has only what the script uses, and does not pretend: what only
 * a wiki can do is rejected with the code 'no-wiki', and a module that is not here does not load.
 *
 * What `mw.config` holds is read from <meta name="mw-config" content="{JSON}">.
 */
( function () {
	'use strict';

	const CATEGORIES = [ 'zero', 'one', 'two', 'few', 'many', 'other' ];
	const HERE = [
		'mediawiki.api', 'mediawiki.language', 'mediawiki.notification',
		'mediawiki.storage', 'mediawiki.user', 'mediawiki.util', 'codex-styles',
		'user.options'
	];
	const own = Object.prototype.hasOwnProperty;

	function Values( given ) {
		this.values = Object.create( null );
		this.set( given || {} );
	}
	Values.prototype.set = function ( key, value ) {
		if ( typeof key === 'string' ) {
			this.values[ key ] = value;
			return true;
		}
		Object.keys( key ).forEach( ( each ) => {
			this.values[ each ] = key[ each ];
		} );
		return true;
	};
	Values.prototype.get = function ( key, fallback ) {
		if ( Array.isArray( key ) ) {
			return key.reduce( ( all, each ) => {
				all[ each ] = this.get( each, fallback );
				return all;
			}, {} );
		}
		if ( key in this.values ) {
			return this.values[ key ];
		}
		return fallback === undefined ? null : fallback;
	};
	Values.prototype.exists = function ( key ) {
		return key in this.values;
	};

	function configured() {
		const found = document.querySelector( 'meta[name="mw-config"]' );
		return Object.assign( {
			skin: 'sidenote-local',
			wgAction: 'view',
			wgArticlePath: '/wiki/$1',
			wgContentLanguage: document.documentElement.lang || 'en',
			wgIsArticle: true,
			wgNamespaceNumber: 0,
			wgPageName: '',
			wgRevisionId: 0,
			wgScript: '/w/index.php',
			wgScriptPath: '/w',
			wgServer: location.origin,
			wgServerName: location.host,
			wgTitle: '',
			wgUserLanguage: document.documentElement.lang || 'en',
			wgUserName: null
		}, found ? JSON.parse( found.content ) : {} );
	}

	const config = new Values( configured() );
	const messages = new Values();
	const options = new Values();

	function Message( key, parameters ) {
		this.key = key;
		this.parameters = parameters;
	}
	Message.prototype.exists = function () {
		return messages.exists( this.key );
	};
	Message.prototype.params = function ( more ) {
		this.parameters = this.parameters.concat( more );
		return this;
	};
	Message.prototype.plain = function () {
		if ( !this.exists() ) {
			return '⧼' + this.key + '⧽';
		}
		return messages.get( this.key ).replace( /\$(\d+)/g, ( whole, number ) => {
			const value = this.parameters[ Number( number ) - 1 ];
			return value === undefined ? whole : String( value );
		} );
	};
	Message.prototype.text = Message.prototype.plain;
	Message.prototype.toString = Message.prototype.plain;

	function message( key, ...parameters ) {
		return new Message( key, parameters );
	}

	// As in MediaWiki: forms are in the order of the language's categories, and the last one replaces
	// missing forms.
	function convertPlural( count, forms ) {
		const rules = new Intl.PluralRules( config.get( 'wgUserLanguage' ) );
		const known = rules.resolvedOptions().pluralCategories;
		const ordered = CATEGORIES.filter( ( each ) => known.indexOf( each ) > -1 );
		const index = ordered.indexOf( rules.select( Number( count ) ) );
		return forms[ Math.min( index, forms.length - 1 ) ];
	}

	function listed( names ) {
		return Array.isArray( names ) ? names : [ names ];
	}

	function requireHere( name ) {
		if ( HERE.indexOf( name ) < 0 ) {
			throw new Error( 'There is no wiki here to load ' + name + ' from.' );
		}
		return {};
	}

	function getState( name ) {
		return HERE.indexOf( name ) < 0 ? null : 'ready';
	}

	function using( names, ready, failed ) {
		const missing = listed( names ).filter( ( name ) => getState( name ) === null );
		if ( missing.length ) {
			const why = new Error( 'There is no wiki here to load ' + missing.join( ', ' ) + ' from.' );
			if ( failed ) {
				failed( why, missing );
			}
			return Promise.reject( why );
		}
		if ( ready ) {
			ready( requireHere );
		}
		return Promise.resolve( requireHere );
	}

	function getUrl( title, parameters ) {
		const path = config.get( 'wgArticlePath' ).replace(
			'$1', encodeURIComponent( title.replace( / /g, '_' ) ).replace( /%2F/g, '/' ).replace( /%3A/g, ':' )
		);
		const query = new URLSearchParams( parameters || {} ).toString();
		return query ? path + ( path.indexOf( '?' ) < 0 ? '?' : '&' ) + query : path;
	}

	function addPortletLink( portletId, href, text, id, tooltip, accesskey, nextnode ) {
		const portlet = document.getElementById( portletId );
		if ( !portlet ) {
			return null;
		}
		const link = document.createElement( 'a' );
		const words = document.createElement( 'span' );
		words.textContent = text;
		link.href = href;
		link.appendChild( words );
		if ( tooltip ) {
			link.title = accesskey ? tooltip + ' [' + accesskey + ']' : tooltip;
		}
		if ( accesskey ) {
			link.accessKey = accesskey;
		}
		const item = document.createElement( 'li' );
		item.className = 'mw-list-item mw-list-item-js';
		if ( id ) {
			item.id = id;
		}
		item.appendChild( link );
		let list = portlet.querySelector( 'ul' );
		if ( !list ) {
			list = portlet.appendChild( document.createElement( 'ul' ) );
		}
		const next = typeof nextnode === 'string' ? list.querySelector( nextnode ) : nextnode;
		list.insertBefore( item, next && next.parentNode === list ? next : null );
		portlet.classList.remove( 'emptyPortlet' );
		return item;
	}

	// Storage may be forbidden or full; then nothing is remembered.
	function tried( what, otherwise ) {
		try {
			return what();
		} catch ( error ) {
			return otherwise;
		}
	}

	const storage = {
		get: ( key ) => tried( () => localStorage.getItem( key ), false ),
		set: ( key, value ) => tried( () => {
			localStorage.setItem( key, value );
			return true;
		}, false ),
		remove: ( key ) => tried( () => {
			localStorage.removeItem( key );
			return true;
		}, false ),
		getObject: ( key ) => tried( () => JSON.parse( localStorage.getItem( key ) ), null ),
		setObject: ( key, value ) => storage.set( key, JSON.stringify( value ) )
	};

	const hooks = Object.create( null );

	// As in MediaWiki: late subscribers get the last event at once.
	function hook( name ) {
		const here = hooks[ name ] || ( hooks[ name ] = { listeners: [], last: null } );
		return {
			add( ...listeners ) {
				listeners.forEach( ( each ) => {
					here.listeners.push( each );
					if ( here.last ) {
						each( ...here.last );
					}
				} );
				return this;
			},
			remove( ...listeners ) {
				here.listeners = here.listeners.filter( ( each ) => listeners.indexOf( each ) < 0 );
				return this;
			},
			fire( ...given ) {
				here.last = given;
				here.listeners.slice().forEach( ( each ) => each( ...given ) );
				return this;
			}
		};
	}

	function notify( what, settings ) {
		let place = document.getElementById( 'mw-notifications' );
		if ( !place ) {
			place = document.body.appendChild( document.createElement( 'div' ) );
			place.id = 'mw-notifications';
			place.setAttribute( 'role', 'status' );
		}
		const told = document.createElement( 'p' );
		const kind = settings && own.call( settings, 'type' ) ? settings.type : 'info';
		told.className = 'mw-notification mw-notification-type-' + kind;
		if ( what instanceof Node ) {
			told.appendChild( what );
		} else {
			told.textContent = String( what );
		}
		place.appendChild( told );
		const close = () => told.remove();
		told.addEventListener( 'click', close );
		if ( !settings || settings.autoHide !== false ) {
			setTimeout( close, 6000 );
		}
		return Promise.resolve( { close } );
	}

	function refused() {
		return Promise.reject( 'no-wiki' );
	}

	function Api() {}
	[
		'get', 'post', 'ajax', 'edit', 'getToken', 'postWithToken', 'postWithEditToken',
		'parse', 'saveOption', 'saveOptions'
	].forEach( ( name ) => {
		Api.prototype[ name ] = refused;
	} );

	Api.prototype.abort = () => {};

	const isAnon = () => config.get( 'wgUserName' ) === null;

	window.mw = {
		Api,
		Map: Values,
		Message,
		config,
		hook,
		language: { convertPlural, getFallbackLanguageChain: () => [ config.get( 'wgUserLanguage' ), 'en' ] },
		loader: {
			getModuleNames: () => HERE.slice(),
			getState,
			load: ( names ) => {
				using( names ).catch( () => {} );
			},
			require: requireHere,
			using
		},
		log: Object.assign( () => {}, { warn: () => {}, error: () => {} } ),
		message,
		messages,
		msg: ( key, ...parameters ) => message( key, ...parameters ).text(),
		notify,
		now: () => performance.now(),
		storage,
		track: () => {},
		user: {
			getId: () => 0,
			getName: () => config.get( 'wgUserName' ),
			isAnon,
			isNamed: () => !isAnon(),
			isTemp: () => false,
			options,
			tokens: new Values( { csrfToken: '+\\' } )
		},
		util: {
			addPortletLink,
			escapeIdForLink: ( text ) => text.replace( / /g, '_' ),
			getUrl,
			wikiScript: ( name ) => config.get( 'wgScriptPath' ) + '/' + ( name || 'index' ) + '.php'
		}
	};
}() );
