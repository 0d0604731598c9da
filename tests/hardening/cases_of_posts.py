"""Cases 42 to 52: what is posted, and what is served to browsers."""

from tests.hardening.case import Case, tests_of

POSTS_AND_WEB = (
    Case(
        "42",
        "a lost reply, a late request, two workers",
        "Exactly one copy: appended against a known revision, looked for by its key.",
        tests_of(
            "bot/writing/test_session.py",
            """a_lost_answer_never_doubles_a_post five_lost_answers_do_not_double_a_post_either
            a_first_try_that_arrives_late_does_not_double_a_post""",
        )
        + tests_of(
            "bot/writing/test_crashes.py",
            "each_post_is_made_once_whatever_happens two_publishers_at_once_make_a_post_once",
        )
        + tests_of(
            "bot/writing/test_killed.py",
            "publishers_that_are_killed_post_everything_once",
        )
        + tests_of(
            "bot/writing/test_losses.py", "writes_on_a_bad_network_are_made_once"
        ),
    ),
    Case(
        "43",
        "a write to an article",
        "One gate asks the wiki for the namespace; no title leads beyond talk and user pages.",
        tests_of(
            "bot/writing/test_beyond.py",
            """a_hostile_title_sends_no_write what_looks_like_parameters_is_a_title
            a_page_that_changes_under_the_gate_takes_no_article_along
            a_page_that_changed_before_takes_no_article_along
            the_proxy_notices_what_leaves the_proxy_knows_what_may_be_written""",
        )
        + tests_of(
            "bot/writing/test_allowed_pages.py",
            """no_title_leads_to_a_write_outside_talk_and_user_pages
            every_talk_namespace_and_that_of_users_is_allowed_and_no_other
            any_text_is_a_place_or_refused""",
        )
        + tests_of(
            "bot/writing/test_real_wiki.py", "hostile_titles_write_nothing_outside"
        )
        + tests_of(
            "bot/writing/test_gate.py",
            "nothing_is_written_outside_talk_and_user_pages",
        )
        + tests_of(
            "bot/writing/test_gate.py", "an_appended_text_is_never_sent_as_a_whole_page"
        ),
    ),
    Case(
        "44",
        "wikitext in quotes, titles, names, addresses and summaries",
        "Every sign with a meaning is a character reference; summaries are fixed words.",
        tests_of(
            "bot/wiki/markup/test_escaping.py",
            """no_hostile_text_becomes_markup_and_all_can_be_read
            no_mixture_of_signs_becomes_markup only_plain_addresses_of_the_web_are_linked
            a_title_cannot_end_its_link an_address_cannot_end_its_link
            what_fills_a_text_is_not_filled_again""",
        )
        + tests_of("bot/surfaces/test_talk_page.py", "nothing_hostile_becomes_markup")
        + tests_of("bot/surfaces/test_report_page.py", "nothing_hostile_becomes_markup")
        + tests_of(
            "bot/surfaces/test_messages.py",
            "summaries_are_a_few_words_with_the_way_to_stop_and_the_key_in_it",
        )
        + tests_of(
            "hardening/test_escaping.py", "a_real_parser_makes_nothing_of_hostile_texts"
        )
        + tests_of(
            "bot/wiki/markup/test_keys.py", "a_key_that_somebody_made_up_is_no_key"
        ),
    ),
    Case(
        "45",
        "pings",
        "No name of a user is ever linked by a note.",
        tests_of(
            "hardening/test_pings.py", "no_name_in_a_note_is_linked_on_a_real_wiki"
        )
        + tests_of("bot/surfaces/test_talk_page.py", "nothing_hostile_becomes_markup")
        + tests_of(
            "hardening/test_escaping.py",
            "a_real_parser_makes_nothing_of_hostile_texts",
        ),
    ),
    Case(
        "46",
        "errors when saving",
        "Each has a named state; a filter's warning is a refusal; a block stops all writing.",
        tests_of(
            "bot/writing/test_gate_tries.py",
            """a_refusal_is_recognised_and_says_why what_may_pass_is_not_now
            an_answer_without_sense_says_nothing""",
        )
        + tests_of(
            "bot/writing/test_gate_tries.py",
            "a_warning_of_a_filter_is_a_refusal_and_goes_with_its_session",
        )
        + tests_of(
            "bot/writing/test_gate.py",
            "a_block_halts_everything",
        )
        + tests_of(
            "bot/writing/test_real_wiki.py",
            """a_filter_of_the_wiki_is_a_refusal_and_never_overridden
            a_block_halts_everything a_protected_page_is_a_refusal
            an_address_on_the_spam_blacklist_is_a_refusal""",
        )
        + tests_of(
            "bot/writing/test_session.py",
            """a_lost_answer_never_doubles_a_post a_session_that_ended_begins_again
            a_wrong_password_halts_and_is_reported_without_it""",
        ),
        "A session that has ended is begun anew and the post tried again; only a login that"
        " is refused stops all writing.",
    ),
    Case(
        "47",
        "the stop page",
        "Anything but the exact word stops; it is read before every write.",
        tests_of(
            "bot/writing/test_gate.py",
            """anything_but_the_exact_word_stops_the_task
            a_missing_stop_page_and_one_of_another_task_stop
            a_stop_page_that_leads_elsewhere_stops the_stop_page_is_read_before_every_write
            a_stop_page_that_cannot_be_read_stops
            a_block_halts_everything
            a_talk_page_and_an_article_can_keep_bots_away""",
        )
        + tests_of(
            "bot/writing/test_gate_tries.py",
            "a_read_whose_answer_is_lost_has_written_nothing",
        )
        + tests_of(
            "bot/surfaces/opt_in/test_exclusion.py",
            "there_are_all_the_forms_that_pywikibot_tests a_page_refuses_us",
        )
        + tests_of(
            "bot/writing/test_session.py", "a_wiki_that_cannot_be_reached_is_certain"
        )
        + tests_of(
            "bot/daemon/test_killed.py",
            "nothing_is_lost_doubled_or_changed_when_the_daemon_is_killed",
        )
        + tests_of(
            "torture/pipeline/test_histories.py",
            "a_write_after_a_read_that_saw_the_stop_is_found",
        ),
    ),
    Case(
        "48",
        "a flood of posts",
        "Caps by page, person, day, wiki and task in the database, kept over kills.",
        tests_of(
            "bot/store/test_outbox.py",
            """limits_hold_back_until_the_next_day the_limit_over_all_wikis_holds
            each_task_has_limits_of_its_own a_crash_does_not_free_a_place
            processes_that_post_at_once_keep_to_the_limits""",
        )
        + tests_of(
            "bot/surfaces/planning/test_selection.py",
            "an_article_gets_no_more_than_its_share the_most_urgent_come_first_and_the_rest_waits",
        ),
    ),
    Case(
        "49",
        "posts that people removed, archived or overtook",
        "Never made again; the claim is looked up in the newest revision before posting.",
        tests_of(
            "bot/writing/test_gate.py",
            "a_post_that_the_article_has_overtaken_is_not_made",
        )
        + tests_of(
            "bot/writing/test_gate_tries.py",
            """a_post_is_found_whatever_people_did_with_it
            a_post_on_a_page_that_was_deleted_is_not_made_again""",
        )
        + tests_of(
            "bot/surfaces/planning/test_talk.py",
            """a_note_that_people_remove_is_never_posted_again
            a_section_that_was_archived_is_not_made_again""",
        )
        + tests_of(
            "bot/surfaces/planning/test_reports.py", "a_report_that_was_moved_is_let_go"
        ),
    ),
    Case(
        "50",
        "scripts in quotes, titles and addresses (XSS)",
        "Text nodes alone, web addresses alone, a policy that lets nothing in.",
        tests_of(
            "gadget/script/test_panel_access.py",
            "every_payload_in_every_field_stays_words",
        )
        + tests_of(
            "gadget/script/test_queue.py",
            "every_payload_in_every_field_stays_words",
        )
        + tests_of(
            "bot/report/test_html_in_browser.py",
            "no_payload_runs_asks_or_becomes_an_element",
        )
        + tests_of(
            "test_panel_safety.py",
            """attacks_in_every_field_stay_words_on_every_surface
            a_strict_policy_refuses_nothing_of_it""",
        )
        + tests_of(
            "gadget/script/test_script_rules.py",
            "a_script_makes_nothing_of_words_and_is_es2016",
        )
        + tests_of(
            "bot/daemon/status/test_renderings.py",
            "nothing_that_others_wrote_becomes_markup",
        ),
    ),
    Case(
        "51",
        "other origins, forged requests, stolen and used tokens",
        "Exact origins, JSON alone, a person known by the wiki, one act for one key.",
        tests_of(
            "gadget/api/test_attacks.py",
            """a_page_of_another_origin_gets_nothing what_a_form_can_send_is_not_taken
            nobody_needs_an_origin_to_read_and_everybody_to_act
            a_token_that_is_none_may_read_and_nothing_else
            a_reader_of_one_wiki_is_nobody_on_another
            other_peoples_decisions_cannot_be_found_by_counting
            who_dismisses_everything_is_slowed_and_shuts_nothing_alone
            a_body_that_is_none_is_refused_in_words a_large_body_is_not_read""",
        )
        + tests_of(
            "gadget/api/test_api.py",
            "the_same_key_is_the_same_act many_tries_at_once_are_one",
        )
        + tests_of(
            "gadget/identity/test_oauth.py",
            """a_code_that_comes_again_signs_nobody_in a_stolen_state_is_worth_nothing
            a_stolen_code_is_worth_nothing a_code_of_another_wiki_is_not_taken
            a_session_ends_after_thirty_days_at_most""",
        )
        + tests_of("gadget/identity/test_proof.py", "bob_does_not_sign_in_as_alice")
        + tests_of(
            "gadget/api/test_schemathesis.py", "nothing_that_is_sent_finds_a_fault"
        ),
    ),
    Case(
        "52",
        "denial of service, leaks, supply chain",
        "Slow clients are shown out; faults show nothing; every package is pinned by hash.",
        tests_of(
            "bot/daemon/web/test_connections.py",
            """who_keeps_us_waiting_is_shown_out
            hundreds_of_half_heads_end_and_nobody_waits_for_them
            who_does_not_read_the_answer_is_shown_out
            a_thousand_that_stay_do_not_slow_the_status_page""",
        )
        + tests_of(
            "bot/daemon/web/test_server.py",
            """a_fault_of_ours_shows_nothing_of_itself no_secret_is_reported_anywhere
            a_database_that_is_away_is_reported_in_one_line
            a_request_line_without_end_is_cut_off""",
        )
        + tests_of(
            "gadget/api/test_attacks.py",
            """a_body_that_drips_is_not_waited_for
            headers_and_addresses_without_end_are_cut_off
            a_fault_shows_nothing_of_itself_not_even_in_the_log""",
        )
        + tests_of(
            "bot/store/test_sweeping.py", "names_of_people_are_forgotten_after_a_month"
        )
        + tests_of(
            "bot/store/test_sweeping_readers.py",
            "keys_of_readers_go_after_a_month_and_what_they_closed_stays_closed",
        )
        + tests_of(
            "supply_chain/test_pins.py",
            "every_package_is_pinned_with_its_hashes_and_no_index_is_named",
        )
        + tests_of(
            "secrets/test_whole_run.py", "no_secret_stays_anywhere_after_a_whole_run"
        ),
        "A database of known faults in packages is not at hand offline: none is asked.",
    ),
)
