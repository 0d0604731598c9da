<?php
// For PHP's own server: Wikipedia's addresses (/wiki/Title, /w/api.php) on a folder
// in which "w" leads to MediaWiki.
$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
if ( $path === '/favicon.ico' ) {
	http_response_code( 204 );
	return true;
}
// The tests restore the database under the wiki; what processes remember must go, but
// for what was made of the wiki's own code (styles and scripts, made small).
if ( $path === '/forget' ) {
	if ( function_exists( 'apcu_delete' ) ) {
		$ofCode = 'FileContentsHasher|registration|resourceloader-(filter|less)';
		apcu_delete( new APCUIterator( "/^(?!global:($ofCode))/" ) );
	}
	echo 'forgotten';
	return true;
}
if ( $path !== '/' && strpos( $path, '/wiki/' ) !== 0 ) {
	return false;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/w/index.php';
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/w/index.php';
require $_SERVER['SCRIPT_FILENAME'];
