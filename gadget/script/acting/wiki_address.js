/*!
 * Addresses of pages on another wiki, of which the script knows only the host.
 */
'use strict';

// Wikis on the reader's own machine use plain HTTP, all others HTTPS.
const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const HOST = /^[a-z0-9.[\]:-]+$/i;

/**
 * @param {string} wiki host, with its port where it has one
 * @param {Object} parameters of index.php
 * @return {string} '' where that is no host
 */
function wikiAddress( wiki, parameters ) {
	if ( !HOST.test( wiki ) ) {
		return '';
	}
	return ( LOCAL.test( wiki ) ? 'http://' : 'https://' ) + wiki + '/w/index.php?' +
		new URLSearchParams( parameters );
}

module.exports = { wikiAddress };
