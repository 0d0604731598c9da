<?php
// Read after the settings that MediaWiki's installer wrote (1.39 and 1.43). The
// environment says where the wiki is known, and which UDP port is told of changes;
// maintenance scripts have neither.
$wgServer = $wgCanonicalServer = 'http://' . ( getenv( 'TEST_WIKI_HOST' ) ?: '127.0.0.1:1' );
$wgSitename = 'Sidenote test wiki';
$wgScriptPath = $wgResourceBasePath = '/w';
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;
$wgRightsText = 'Creative Commons Attribution-ShareAlike 4.0';
$wgRightsUrl = 'https://creativecommons.org/licenses/by-sa/4.0/';
$wgLogos = false;
$wgFooterIcons = [];

// Every process opens the same small database. What else is remembered lies in memory
// that all of them share, and that a reset clears.
$wgMainCacheType = $wgParserCacheType = $wgMessageCacheType = CACHE_NONE;
$wgSessionCacheType = CACHE_DB;
$wgCacheDirectory = __DIR__ . '/cache';
if ( PHP_SAPI !== 'cli' && function_exists( 'apcu_fetch' ) ) {
	$wgMainCacheType = CACHE_ACCEL;
}

// Links and recent changes are written with the edit itself; only what follows from
// a changed template would wait for jobs, and each request does one of them.
$wgJobRunRate = (int)getenv( 'TEST_WIKI_JOBS' );
$wgRunJobsAsync = false;

$rcPort = (int)getenv( 'TEST_WIKI_CHANGES' );
if ( $rcPort > 0 ) {
	$wgRCFeeds['sidenote'] = [
		'uri' => "udp://127.0.0.1:$rcPort",
		'formatter' => 'JSONRCFeedFormatter',
	];
}

// Nobody waits here, and passwords are no secrets.
$wgRateLimits = $wgPasswordAttemptThrottle = $wgAccountCreationThrottle = [];
$wgPasswordConfig['pbkdf2']['cost'] = '1';
$wgPasswordConfig['pbkdf2']['length'] = '32';
$wgEnableEmail = false;
$wgPingback = false;
$wgShowExceptionDetails = true;

$wgNamespacesWithSubpages[NS_MAIN] = true;
wfLoadExtensions( [ 'Cite', 'ParserFunctions', 'Gadgets', 'SpamBlacklist', 'AbuseFilter', 'TemplateData' ] );
// Only the wiki's own list: by default another wiki is asked for its own, too.
$wgBlacklistSettings = [ 'spam' => [ 'files' => [] ] ];

// What stands in a bot's way on large wikis. Only who is put into the group “captcha” is
// asked for a CAPTCHA, whatever they edit.
wfLoadExtensions( [ 'TitleBlacklist', 'ConfirmEdit' ] );
$wgTitleBlacklistSources = [];
$wgCaptchaTriggers = [ 'edit' => true, 'create' => true ] + array_fill_keys(
	[ 'addurl', 'sendemail', 'createaccount', 'badlogin', 'badloginperuser' ], false
);
$wgGroupPermissions['*']['skipcaptcha'] = true;
$wgRevokePermissions['captcha']['skipcaptcha'] = true;

// 1.39 would refuse gadgets in the JavaScript of this decade; newer ones look closer.
if ( version_compare( MW_VERSION, '1.40', '<' ) ) {
	$wgResourceLoaderValidateJS = false;
}

// Replying on talk pages, as Wikipedia has it; it doubles the time of a post.
if ( getenv( 'TEST_WIKI_TALK' ) && version_compare( MW_VERSION, '1.40', '>' ) ) {
	wfLoadExtensions( [ 'Echo', 'Linter', 'VisualEditor', 'DiscussionTools' ] );
	$wgLinterParseOnDerivedDataUpdate = false; // else every save is parsed twice
	$wgVisualEditorShowBetaWelcome = false;
}
