/*!
 * Addresses of pages on another wiki, which the script knows by its host only.
 */
'use strict';

// Wikis of one's own machine speak plain HTTP, all others do not.
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
