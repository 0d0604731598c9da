"""Cases 22 to 41: cited addresses, what stands there, and the language model."""

from tests.hardening.case import Case, tests_of

SOURCES_AND_MODEL = (
    Case(
        "22",
        "internal addresses in every spelling",
        "Refused before anything is connected to; 1:1 at the socket, too.",
        tests_of(
            "bot/sources/test_address_wall.py",
            """no_known_attack_address_is_connected_to ordinary_public_addresses_pass
            an_address_that_is_odd_or_internal_is_refused
            any_text_at_all_is_either_refused_or_sent_in_a_form_that_stays_the_same""",
        )
        + tests_of(
            "hardening/test_addresses.py",
            "no_spelling_of_an_internal_address_passes",
        )
        + tests_of(
            "bot/sources/test_connections.py",
            "an_address_that_got_past_the_first_check_is_stopped_at_its_socket",
        ),
        "A third of the catalogue's vectors is kept aside; spellings are generated instead.",
    ),
    Case(
        "23",
        "names that turn inside",
        "Each address of a name is looked at, and again at the socket.",
        tests_of(
            "bot/sources/test_connections.py",
            """a_name_that_leads_inside_is_refused_whole
            a_name_that_turns_inside_after_the_first_lookup_is_refused
            only_the_first_few_addresses_of_each_kind_are_tried
            a_name_service_that_does_not_answer_is_given_up_on""",
        )
        + tests_of(
            "bot/sources/test_connections.py",
            "what_a_real_name_server_answers_decides_the_outcome",
        )
        + tests_of(
            "hardening/test_addresses.py",
            "no_schedule_of_a_name_server_leads_inside",
        ),
    ),
    Case(
        "24",
        "redirects",
        "Five at most, each through the same wall; nothing else leads elsewhere.",
        tests_of(
            "bot/sources/test_redirects.py",
            """five_redirects_are_followed_and_six_are_not
            a_circle_of_redirects_is_left_at_once
            a_redirect_to_where_nobody_may_go_is_not_followed
            a_second_hop_is_checked_as_closely_as_the_first
            a_redirect_to_nowhere_is_unreachable
            a_location_of_a_hundred_kilobytes_is_unreachable
            nothing_but_a_redirect_leads_elsewhere""",
        ),
    ),
    Case(
        "25",
        "our own platform and the interfaces of wikis",
        "Our hosts are refused; every request is a GET without cookies or credentials.",
        tests_of(
            "bot/sources/test_address_wall.py",
            """an_address_that_is_odd_or_internal_is_refused
            an_operator_can_close_further_networks_and_hosts""",
        )
        + tests_of(
            "bot/sources/test_connections.py",
            "a_request_tells_who_asks_and_nothing_of_anybody_else",
        )
        + tests_of(
            "hardening/test_fetching.py",
            "an_address_of_a_wikis_interface_is_only_ever_read_as_anybody",
        )
        + tests_of(
            "bot/settings/test_settings.py",
            """no_cited_address_has_the_program_call_itself
            networks_that_are_denied_are_behind_the_wall""",
        )
        + tests_of(
            "bot/sources/test_address_wall.py",
            "an_internal_address_is_not_connected_to",
        )
        + tests_of(
            "bot/app/doctor/test_setups_of_services.py",
            "a_machines_own_public_address_is_to_be_denied",
        ),
        "The public networks of Wikimedia's cloud are written down as its own configuration"
        " had them (operations/puppet, modules/network); a new one has to be added, or set"
        " as denied_networks.",
    ),
    Case(
        "26",
        "ports, proxies, cookies",
        "Ports 80 and 443 alone; no proxy, no netrc, no cookie, no Referer.",
        tests_of(
            "bot/sources/test_connections.py",
            """proxies_of_the_environment_are_not_used
            no_password_of_a_netrc_file_is_sent
            a_request_tells_who_asks_and_nothing_of_anybody_else""",
        )
        + tests_of(
            "bot/sources/test_address_wall.py",
            "an_exemption_is_for_one_address_and_one_port",
        )
        + tests_of("hardening/test_fetching.py", "no_connection_serves_two_requests"),
    ),
    Case(
        "27",
        "slow and endless servers",
        "Thirty seconds for a chain of redirects in all; a cap on the bytes; one a host.",
        tests_of(
            "bot/sources/test_answers.py",
            """a_server_that_takes_for_ever_is_given_up_on
            whatever_breaks_http_is_unreachable no_answer_however_mangled_raises""",
        )
        + tests_of(
            "bot/sources/test_redirects.py",
            "the_hops_of_a_chain_share_one_allowance_of_time",
        )
        + tests_of(
            "bot/sources/test_bodies.py",
            "ten_gigabytes_of_zeros_cost_no_more_than_the_cap",
        )
        + tests_of(
            "bot/sources/test_manners.py",
            "requests_to_one_host_come_one_by_one_with_a_pause",
        )
        + tests_of(
            "bot/sources/test_connections.py",
            "a_server_that_makes_no_secure_connection_is_unreachable",
        ),
    ),
    Case(
        "28",
        "decompression bombs",
        "The cap is on decoded bytes; stacked or unknown encodings are an outcome.",
        tests_of(
            "bot/sources/test_bodies.py",
            """a_decompression_bomb_costs_no_more_than_the_cap
            a_gigabyte_in_a_kilobyte_costs_no_more_than_the_cap
            encodings_that_were_not_asked_for_are_not_taken_for_text
            encodings_spread_over_two_headers_count_as_stacked
            compressed_noise_that_decodes_to_nothing_is_capped_too""",
        ),
    ),
    Case(
        "29",
        "floods of headers",
        "Refused at 32 KiB a line; the source is unreachable.",
        tests_of("bot/sources/test_answers.py", "whatever_breaks_http_is_unreachable")
        + tests_of(
            "bot/sources/test_redirects.py",
            "a_location_of_a_hundred_kilobytes_is_unreachable",
        )
        + tests_of("hardening/test_fetching.py", "a_flood_of_headers_is_unreachable"),
    ),
    Case(
        "30",
        "what a site does not want, or hides",
        "A named outcome “could not check”, never a verdict; robots.txt and pauses kept.",
        tests_of(
            "bot/sources/test_robots.py",
            """a_page_that_robots_txt_forbids_is_not_asked_for
            a_site_whose_robots_txt_cannot_be_read_is_left_alone""",
        )
        + tests_of(
            "bot/sources/test_answers.py",
            """each_status_has_its_outcome
            a_challenge_to_robots_is_told_apart_from_a_refusal""",
        )
        + tests_of(
            "bot/sources/extraction/test_page_kind.py",
            """a_page_is_classified_by_what_it_shows each_outcome_has_at_least_six_samples
            few_of_thousands_of_real_page_texts_are_taken_for_walls""",
        )
        + tests_of(
            "bot/sources/test_manners.py",
            "requests_to_one_host_come_one_by_one_with_a_pause",
        )
        + tests_of(
            "bot/report/test_html.py", "could_not_check_is_never_shown_as_not_supported"
        ),
    ),
    Case(
        "31",
        "lies about the alphabet",
        "Text or a named outcome; UTF-7 is never decoded.",
        tests_of(
            "bot/sources/extraction/test_sniff.py",
            """text_is_decoded_as_it_was_written utf_7_is_never_decoded
            what_only_python_calls_an_encoding_is_not_used no_bytes_make_it_fail""",
        )
        + tests_of(
            "hardening/test_documents.py",
            "whatever_alphabet_a_page_claims_it_is_text_or_a_named_outcome",
        ),
    ),
    Case(
        "32",
        "bombs of HTML",
        "A child with 256 MiB and ten seconds; text that a parser dropped is “incomplete”.",
        tests_of(
            "bot/sources/extraction/test_extractor.py",
            """a_parser_that_hangs_is_killed_and_the_next_page_read
            text_below_the_deepest_levels_is_never_an_empty_page
            the_owner_does_not_grow_with_a_bomb
            a_page_that_takes_too_much_memory_is_incomplete
            the_kernel_stops_a_child_whose_owner_is_gone""",
        )
        + tests_of(
            "bot/sources/extraction/test_html.py",
            """text_below_250_levels_is_read
            text_below_the_parsers_limit_is_not_passed_over_in_silence""",
        )
        + tests_of(
            "hardening/test_bombs.py", "a_bomb_costs_no_more_than_its_child_may"
        ),
    ),
    Case(
        "33",
        "bombs of PDF",
        "The same child; a scan, a cipher and a wreck are told apart from an empty text.",
        tests_of(
            "bot/sources/extraction/test_pdf.py",
            """a_bomb_ends_in_an_outcome an_encrypted_file_is_reported
            a_scan_is_not_an_empty_text too_many_pages_are_too_large
            half_a_file_is_read_or_called_damaged""",
        )
        + tests_of(
            "hardening/test_bombs.py", "a_bomb_costs_no_more_than_its_child_may"
        ),
    ),
    Case(
        "34",
        "other kinds of files, XXE, polyglots",
        "The bytes decide; nothing of a document is expanded, opened or asked for.",
        tests_of(
            "hardening/test_documents.py",
            """no_document_has_its_reader_open_a_file_or_an_address
            bytes_decide_what_a_document_of_two_kinds_is""",
        )
        + tests_of(
            "bot/sources/extraction/test_sniff.py",
            "bytes_decide_what_can_be_read what_holds_no_text_is_named",
        )
        + tests_of(
            "bot/sources/extraction/test_html.py", "xml_is_read_without_its_entities"
        )
        + tests_of(
            "bot/search/services/test_feeds.py",
            "entities_are_not_expanded_and_files_not_read",
        ),
    ),
    Case(
        "35",
        "bombs of wikitext and of regular expressions",
        "Our own scan is linear; no expression takes the square of what it is given.",
        tests_of(
            "handlers/test_references.py",
            """a_bomb_goes_off_without_harm the_collected_bombs_go_off_without_harm""",
        )
        + tests_of(
            "handlers/test_parse.py", "every_parser_bomb_is_read deep_nesting_is_read"
        )
        + tests_of("handlers/test_scan.py", "ten_thousand_levels_are_no_trouble")
        + tests_of(
            "hardening/test_expressions.py",
            """no_expression_takes_the_square_of_a_text one_that_does_is_noticed""",
        )
        + tests_of(
            "hardening/test_wikitext.py",
            """a_text_four_times_as_long_takes_four_times_as_long
            a_reader_that_goes_back_would_be_noticed""",
        )
        + tests_of(
            "bot/sources/extraction/test_html.py", "only_the_tag_of_a_language_is_one"
        )
        + tests_of(
            "bot/surfaces/opt_in/test_exclusion.py",
            "a_page_of_nested_exclusions_is_read_in_linear_time",
        )
        + tests_of(
            "bot/models/language_model/test_replies.py",
            "thoughts_without_end_are_left_out_in_little_time",
        ),
    ),
    Case(
        "36",
        "prompt injection",
        "Verdict and quote are those of the clean page, whatever the model is talked into.",
        tests_of(
            "hardening/test_injection.py",
            "a_model_that_obeys_a_page_changes_no_verdict",
        )
        + tests_of(
            "handlers/citations/test_model_judge.py",
            "a_page_that_talks_the_model_into_its_verdict_gains_nothing",
        )
        + tests_of(
            "bot/models/roles/test_injection.py",
            "a_model_that_obeys_every_page_makes_no_wrong_suggestion",
        )
        + tests_of(
            "handlers/drafts/by_model/test_injection.py",
            """a_model_that_obeys_every_document_writes_nothing_of_it
            a_model_that_obeys_every_document_plans_nothing_of_it""",
        ),
        "Shown with puppets that always obey; how often a real model obeys is not measured.",
    ),
    Case(
        "37",
        "made-up and shifted quotes",
        "A quote counts if it stands in the source of that claim, whole.",
        tests_of(
            "handlers/citations/test_model_judge.py",
            """any_other_answer_leaves_the_claim_as_it_was
            a_quote_with_another_number_contradicts_the_claim
            a_source_of_another_claim_proves_nothing
            quotes_are_found_folded_and_whole""",
        )
        + tests_of(
            "bot/models/roles/test_loop.py",
            "words_that_stand_nowhere_are_no_source",
        ),
    ),
    Case(
        "38",
        "broken replies of a model",
        "Each has a named outcome; nothing escapes and no key is shown.",
        tests_of(
            "bot/models/language_model/test_replies.py",
            """each_reply_of_the_corpus_has_a_named_outcome
            no_text_breaks_the_reading what_is_not_one_object_in_its_form_is_refused
            thoughts_without_end_are_left_out_in_little_time""",
        )
        + tests_of(
            "bot/models/language_model/test_requests.py",
            "an_endless_answer_is_broken_off an_answer_that_comes_packed_is_not_unpacked",
        ),
        "A third of the catalogue's replies is kept aside.",
    ),
    Case(
        "39",
        "faults of the provider",
        "Waits are bounded and differ; 401 and 402 stop the asking at once.",
        tests_of(
            "bot/models/language_model/test_requests.py",
            """what_may_pass_is_tried_again the_wait_that_a_server_asks_for_is_kept
            a_wait_beyond_the_bound_ends_the_asking_for_that_long
            tries_are_bounded_and_a_server_that_is_down_is_left_alone
            what_cannot_pass_stops_the_asking_at_once""",
        )
        + tests_of(
            "bot/models/language_model/test_replies.py",
            "retry_after_is_read_as_seconds_or_a_date waits_grow_and_differ",
        ),
    ),
    Case(
        "40",
        "runaway costs",
        "The worst case of a request is set aside before it is sent; the sum is a hard stop.",
        tests_of(
            "bot/models/language_model/test_lane.py",
            "no_sequence_of_answers_and_failures_passes_the_budget",
        )
        + tests_of(
            "bot/models/language_model/test_requests.py",
            """the_budget_in_calls_is_a_hard_stop
            a_call_whose_worst_case_could_pass_the_budget_is_not_made
            a_server_that_counts_the_impossible_is_not_asked_again
            without_a_believable_count_the_worst_case_is_booked""",
        )
        + tests_of(
            "bot/store/test_spending.py",
            """of_many_at_once_none_passes_the_cap
            processes_that_come_and_go_share_one_cap
            what_a_process_had_set_aside_when_it_died_stays_booked
            no_order_of_things_passes_the_cap_of_any_day
            no_day_is_spent_twice_however_the_clock_moves
            the_status_tells_what_is_booked_and_whether_one_was_refused
            a_page_and_one_who_asked_have_a_part_of_the_day_each""",
        )
        + tests_of(
            "bot/models/language_model/test_lane.py",
            """processes_share_the_day_and_no_restart_renews_it
            nothing_is_sent_while_nobody_knows_what_was_spent
            a_question_that_is_given_up_half_way_is_booked_in_full
            a_page_of_ten_thousand_claims_leaves_the_others_their_money""",
        )
        + tests_of(
            "bot/daemon/test_pages_pay.py",
            "a_page_at_its_cap_says_so_and_the_pages_of_others_go_on",
        )
        + tests_of(
            "bot/daemon/test_daily_budget.py",
            "the_daemon_stops_asking_at_the_cap_and_goes_on_checking",
        )
        + tests_of(
            "hardening/test_spending.py",
            """a_server_that_bills_and_fails_gets_no_more_than_the_cap
            processes_that_come_and_go_spend_no_more_than_a_days_cap""",
        ),
        "The cap of a day of UTC is kept in the database and is one for all processes of"
        " the daemon on it; so are the parts of it for one page, and for one who asked."
        " Commands beside it have a budget a run, and programs older than this count"
        " nothing. A bill that is larger than what was asked for cannot be held back: set"
        " a limit at the provider, too.",
    ),
    Case(
        "41",
        "secrets and privacy towards the provider",
        "Public text alone is sent; the key is in no address, log, error or redirect.",
        tests_of(
            "bot/models/language_model/test_requests.py",
            """nothing_of_this_machine_or_its_environment_is_sent the_key_shows_nowhere
            untrusted_text_stands_between_marks_that_it_cannot_know""",
        )
        + tests_of(
            "bot/models/language_model/test_requests.py",
            "a_redirect_never_takes_the_key_along",
        )
        + tests_of(
            "secrets/test_whole_run.py", "no_secret_stays_anywhere_after_a_whole_run"
        )
        + tests_of(
            "secrets/test_failing.py",
            "a_refusal_that_repeats_a_secret_is_not_repeated",
        ),
    ),
)
